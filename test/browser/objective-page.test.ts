/** The page of an objective: the evidence for its outcome, and what was observed of the work on it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], kim: [], lin: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** An exchange in which the model says `text` and uses `tokens`. */
const says = (text: string, tokens: number) =>
  exchange(Date.now(), {
    response: {
      messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
      stopReason: 'end_turn',
      status: null,
      usage: {
        inputTokens: tokens,
        outputTokens: 0,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: null,
      },
    },
  });
const upload = (name: string, events: object[]) =>
  as(name).call('uploadActivity', { params: { name }, body: { events: events as never } });
const rowsOf = async (name: string, objective: string) =>
  (await as('ada').call('activityRange', { params: { name }, query: { objective } })).activity.length;

describe('the page of an objective', () => {
  it('shows the evidence, and the work and the tokens that were recorded while a member had it', async () => {
    await shared.team.fetch('ada', '/fs/write?path=/ada/survey.md', { method: 'POST', body: '# Survey' });
    const { id } = await as('ada').call('createObjective', {
      body: {
        title: 'Draw the coast',
        outcome: 'A map',
        assignee: 'ben',
        body: '',
        attachments: ['/ada/survey.md'],
      },
    });
    // The marker of the assignment is stored a moment later.
    await expect.poll(() => rowsOf('ben', id)).toBe(1);
    await upload('ben', [says('I measure the cape', 1200), says('I draw the cape', 800)]);
    await as('ada').call('reassignObjective', { params: { id }, body: { to: 'kim' } });
    await expect.poll(() => rowsOf('kim', id)).toBe(1);
    await upload('ben', [says('I do something else', 5000)]);
    await as('kim').call('completeObjective', { params: { id }, body: { result: 'Merged as 4f2c' } });

    const { page, context, errors } = await shared.open('ada', { path: `/app/objectives/${id}` });
    const evidence = part(page, 'Evidence');
    await evidence.getByText('Merged as 4f2c').waitFor();
    await evidence.getByRole('link', { name: '/ada/survey.md' }).waitFor();
    const ben = part(page, 'Work').getByRole('listitem').filter({ hasText: 'I measure the cape' }).first();
    await ben.getByText('I draw the cape').waitFor();
    await ben.getByText('2 recorded model requests used 2k tokens.').waitFor();
    await ben.getByText(/On the days when ben had it, all work of ben used 7k tokens\./i).waitFor();
    expect(await part(page, 'Work').getByText('I do something else').count()).toBe(0);
    await part(page, 'Work').getByText('No model request of kim was recorded.').waitFor();
    await ben.getByRole('link', { name: 'Activity of ben for this objective' }).click();
    await page.getByRole('link', { name: /I draw the cape/ }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('says that the work of others is not shown to a member who may not see it', async () => {
    const { id } = await as('ada').call('createObjective', {
      body: { title: 'Draw the reef', outcome: 'A map', assignee: 'ben', body: '' },
    });
    const { page, context, errors } = await shared.open('lin', { path: `/app/objectives/${id}` });
    await part(page, 'Work').getByText('Only members with activity.read see the work of ben.').waitFor();
    await part(page, 'Evidence').getByText('No result yet.').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
