/** Code that takes the highlighter very long neither stops the page nor keeps other code from being highlighted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

/** The repeated text, and the number of messages. */
const languages = { markdown: ['[a](', 6], ini: ['_a', 10] } as const;

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], markdown: [], ini: [] } });
});
afterAll(() => shared?.stop());

it.each(['markdown', 'ini'] as const)('the page answers while it shows hostile %s', async (language) => {
  const [part, count] = languages[language];
  const push = (body: string) => shared.team.as(language).call('push', { body: { to: 'ada', body } });
  const hostile = (n: number) => `${part.repeat(Math.floor(15_900 / part.length))}${n}`;
  for (let n = 0; n < count; n++) await push(`\`\`\`${language}\n${hostile(n)}\n\`\`\``);
  await push('```ts\nconst answer = 42;\n```');
  const { page, context, errors } = await shared.open('ada', { path: `/app/conversations/dm:${language}` });
  // Each answer needs a turn of the page, which is busy for minutes if it highlights the code itself.
  const good = page.getByRole('group', { name: 'Code (ts)' });
  await good.locator('[data-token=keyword]').first().waitFor({ timeout: 60_000 });
  const last = page.getByRole('group', { name: `Code (${language})` }).last();
  expect(await last.textContent({ timeout: 30_000 })).toBe(hostile(count - 1));
  expect(errors).toEqual([]);
  await context.close();
});
