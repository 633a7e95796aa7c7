/** Running, interrupting, and stopping an agent from the browser (specification/console.md#agents). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeLease } from '../../runner/session/run-lease.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { keepWorking } from './testing/keep-working.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], stopper: [] } });
});
afterAll(() => shared?.stop());

it('says how to run an agent, in the header and when there is none', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents' });
  await page.getByRole('heading', { name: 'No agent has worked yet' }).waitFor();
  const buttons = page.getByRole('main').getByRole('button', { name: 'Run an agent' });
  expect(await buttons.count()).toBe(2);
  for (const button of await buttons.all()) {
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Run an agent' });
    expect(await dialog.getByRole('textbox', { name: 'Claude Code' }).inputValue()).toMatch(
      /^muster run claude-code --as MEMBER$/,
    );
    await dialog.getByRole('combobox', { name: 'Member that the agent works as' }).click();
    await page.getByRole('option', { name: 'ada' }).click();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    expect(await dialog.getByRole('textbox', { name: 'Claude Code' }).inputValue()).toBe(
      'muster run claude-code --as ada',
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  expect(errors).toEqual([]);
  await context.close();
});

it('asks a run to interrupt its agent, and to stop, and shows what it does until it reports otherwise', async () => {
  const client = shared.team.as('stopper');
  const refusals: string[] = [];
  const interruptions: string[] = [];
  const lease = await takeLease({
    ...{ client, runId: randomUUID(), member: 'stopper', agent: 'Codex 1', replaces: [], takeOver: false },
    ...{
      onRefused: ({ by }) => refusals.push(by),
      onInterrupt: (by) => interruptions.push(by),
      log: () => undefined,
      renewMs: 20,
    },
  });
  const stream = await shared.team.stream('stopper');
  const { page, context, errors } = await shared.open('ada', { path: '/app/agents?agent=stopper' });
  const panel = page.getByRole('region', { name: 'Transcript of stopper' });
  const interrupt = panel.getByRole('button', { name: 'Interrupt stopper' });
  expect(await interrupt.isDisabled()).toBe(true);
  {
    await using _working = await keepWorking(shared.team, 'stopper');
    await panel.getByText('working', { exact: true }).waitFor();
    await interrupt.click();
    await panel.getByText('Asked to interrupt').waitFor();
    await expect.poll(() => interruptions).toEqual(['ada']);
    expect(await panel.getByText('working', { exact: true }).count()).toBe(1);
  }
  await panel.getByText('Asked to interrupt').waitFor({ state: 'detached' });
  expect(await interrupt.isDisabled()).toBe(true);
  const question = page.getByRole('alertdialog');
  await panel.getByRole('button', { name: 'Stop stopper' }).click();
  await question.waitFor();
  // Escape closes the question, and the transcript stays.
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Stop stopper' }).click();
  await question.getByRole('button', { name: 'Stop stopper' }).click();
  await panel.getByText('Asked to stop').waitFor();
  await expect.poll(() => refusals[0]).toBe('stop');
  expect(await panel.getByText(/^Codex 1/).count()).toBe(1);
  await lease?.end();
  await panel.getByText(/^Codex 1/).waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Stop stopper' }).waitFor({ state: 'detached' });
  stream.close();
  expect(errors).toEqual([]);
  await context.close();
});

it('leaves out --as for a member who may not use it', async () => {
  const { page, context, errors } = await shared.open('stopper', { path: '/app/agents' });
  await page.getByRole('main').getByRole('button', { name: 'Run an agent' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Run an agent' });
  expect(await dialog.getByRole('textbox', { name: 'Claude Code' }).inputValue()).toBe(
    'muster run claude-code',
  );
  expect(await dialog.getByRole('combobox').count()).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
});
