/** Code in messages: highlighted, copied, and diffs whose lines are told apart without color. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

const code = 'const answer: number = 42; // <img src=x onerror="window.ran = 1">\n';
const diff = '--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n first\n-old line\n+new line\n last\n';

it('highlights a code block of a known language and copies exactly its text', async () => {
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: `\`\`\`ts\n${code}\`\`\`` } });
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/dm:ben',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const block = page.getByRole('group', { name: 'Code (ts)' });
  await block.getByText('const', { exact: true }).waitFor();
  const looks = block.locator('[data-token]');
  await expect.poll(() => looks.allTextContents()).toEqual(expect.arrayContaining(['const', '42']));
  expect(await block.textContent()).toBe(code.trimEnd());
  expect(await page.evaluate(`'ran' in window`)).toBe(false);
  await page.getByRole('button', { name: 'Copy the code' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code.trimEnd());
  expect(errors).toEqual([]);
  await context.close();
});

it('shows a block of an unknown language, and one without a language, as it was written', async () => {
  await shared.team
    .as('ben')
    .call('push', { body: { to: 'ada', body: '```nonsense\nlet it be\n```\n\n```\nplain\n```' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/dm:ben' });
  await page
    .getByRole('group', { name: 'Code (nonsense)' })
    .getByText('let it be', { exact: true })
    .waitFor();
  await page.getByRole('group', { name: 'Code', exact: true }).getByText('plain', { exact: true }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('shows a diff with its signs and line numbers, and says what was added and removed', async () => {
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: `\`\`\`diff\n${diff}\`\`\`` } });
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/dm:ben',
    width: 390,
  });
  const shown = page.getByRole('group', { name: 'Diff: 1 line added, 1 line removed' });
  await shown.getByRole('insertion').waitFor();
  expect(await shown.getByRole('insertion').textContent()).toContain('+new line');
  expect(await shown.getByRole('deletion').textContent()).toContain('-old line');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(errors).toEqual([]);
  await context.close();
});
