/** What a hand does by mistake: it presses twice, and it drops a file beside the place for it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [] } });
});
afterAll(() => shared?.stop());

it.each([
  { name: 'deletes a member', member: 'ben', act: 'Delete ben', path: '/members/ben' },
  { name: 'rotates the tokens', member: 'cy', act: /^Rotate/, path: '/members/cy/rotate-token' },
])('$name once, however often the button is pressed', async ({ member, act, path }) => {
  const { page, context, errors } = await shared.open('ada', { path: `/app/admin/people?member=${member}` });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && request.url().endsWith(path)) sent.push(request.url());
  });
  await page.getByRole('button', { name: act }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: act }).evaluate((button) => {
    for (let press = 0; press < 3; press++) (button as unknown as { click(): void }).click();
  });
  await question.waitFor({ state: 'detached' });
  expect(sent).toHaveLength(1);
  expect(errors).toEqual([]);
  await context.close();
});

it.each(['/app', '/app/objectives', '/app/conversations/general'])(
  'stays in the console when a file is dropped beside the places for it: %s',
  async (path) => {
    const { page, context } = await shared.open('ada', { path });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const isRefused = await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'x.txt'));
      const take = (type) =>
        !document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      return [take('dragover'), take('drop')];
    })()`);
    expect(isRefused).toEqual([true, true]);
    await context.close();
  },
);
