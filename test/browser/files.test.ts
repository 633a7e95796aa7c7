/** The files of a member: their order, their content as it can be shown, and deleting a folder. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';
import { picture } from './testing/picture.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);

async function write(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  mime = 'application/octet-stream',
) {
  const query = new URLSearchParams({ path, mime });
  const reply = await shared.team.fetch('ada', `/fs/write?${query}`, { method: 'POST', body });
  expect(reply.status).toBe(200);
}

beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  await write('/ada/anchor.txt', 'An anchor');
  for (const name of ['one', 'two', 'three', 'four', 'five']) await write(`/ada/old/${name}.txt`, name);
  await write('/ada/old/deep/six.txt', 'six');
  await write('/ada/zone/map.txt', 'A map');
});
afterAll(() => shared?.stop());

const list = (page: Page) => page.getByRole('list', { name: 'Files' });
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
const open = (name: string) =>
  shared.open('ada', { path: `/app/files?path=/ada/seen&file=/ada/seen/${name}` });

describe('a broker without a files block', () => {
  it('is named at once instead of an empty list', async () => {
    const bare = await startConsole({ members: { ada: ['admin'] }, config: {} });
    try {
      let asked = 0;
      const { page, context } = await bare.open('ada', { path: '/app/home' });
      // A stream that opens late asks for everything again.
      await page.route('**/subscribe?*', () => undefined);
      page.on('request', (request) => {
        if (new URL(request.url()).pathname.endsWith('/fs/ls')) asked += 1;
      });
      await page.goto(new URL('/app/files?path=/ada', page.url()).href);
      await page.getByText('This broker does not store files').waitFor();
      expect(asked).toBe(1);
      await context.close();
    } finally {
      await bare.stop();
    }
  });
});

describe('a file', () => {
  it('is not asked for after it was deleted, although the news of that come before the answer', async () => {
    await write('/ada/seen/short.txt', 'short');
    await write('/ada/seen/long.txt', 'long');
    const { page, context, errors } = await open('short.txt');
    let letGo = () => {};
    const isHeld = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/fs/rm?**', async (route) => {
      const response = await route.fetch();
      await isHeld;
      await route.fulfill({ response });
    });
    const name = 'Delete short.txt';
    await dialogOf(page, 'short.txt').getByText('Only the owner and managers.').waitFor();
    await dialogOf(page, 'short.txt').getByRole('button', { name }).click();
    await page.getByRole('alertdialog').getByRole('button', { name }).click();
    await list(page).locator('[data-entry="/ada/seen/short.txt"]').waitFor({ state: 'detached' });
    letGo();
    await dialogOf(page, 'short.txt').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await context.close();
  });

  it('says who may read it, and leads to the objective that shared it', async () => {
    await write('/ada/seen/shared.txt', 'shared');
    await shared.team.as('ada').call('createObjective', {
      body: {
        ...{ title: 'Read the chart', outcome: 'It is read', assignee: 'ben' },
        attachments: ['/ada/seen/shared.txt'],
      },
    });
    const { page, context, errors } = await open('shared.txt');
    const readers = page.getByRole('region', { name: 'Who can read this file' });
    await readers.getByText('The owner, managers, and:').waitFor();
    const reader = readers.getByRole('listitem').filter({ hasText: 'ben' });
    await reader.getByRole('link', { name: 'Read the chart' }).click();
    await page.getByRole('heading', { name: 'Read the chart' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is shown on when the broker refuses to delete it', async () => {
    const { page, context } = await open('long.txt');
    await page.route('**/fs/rm?**', (route) => route.fulfill({ status: 500, body: '{}' }));
    const name = 'Delete long.txt';
    await dialogOf(page, 'long.txt').getByRole('button', { name }).click();
    await page.getByRole('alertdialog').getByRole('button', { name }).click();
    await page.getByRole('alertdialog').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await shared.team
      .as('ada')
      .call('moveFile', { body: { from: '/ada/seen/long.txt', to: '/ada/seen/longer.txt' } });
    await dialogOf(page, '/ada/seen/long.txt').getByRole('alert').waitFor();
    await context.close();
  });
});

describe('a folder', () => {
  it('lists its folders before its files', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/files?path=/ada' });
    await list(page)
      .getByRole('link', { name: /anchor/ })
      .waitFor();
    const entries = list(page).getByRole('link', { name: /^(old|zone|anchor)/ });
    await expect
      .poll(async () => (await entries.allTextContents()).map((text) => /^(old|zone|anchor)/.exec(text)?.[0]))
      .toEqual(['old', 'zone', 'anchor']);
    await context.close();
  });

  it('is sorted by the headings of its columns, and the order stays in the folders below', async () => {
    for (const [name, body] of [
      ['b', '1'],
      ['a', '333'],
      ['c', '22'],
    ] as const)
      await write(`/ada/sorted/below/${name}.txt`, body);
    const { page, context, errors } = await shared.open('ada', { path: '/app/files?path=/ada/sorted' });
    const heading = (name: RegExp) =>
      page.getByRole('group', { name: 'Order of the files' }).getByRole('link', { name });
    const names = async () =>
      (await list(page).getByRole('link').allTextContents()).map((text) => text.slice(0, 1)).join('');
    await heading(/^Sort by size/).click();
    await list(page)
      .getByRole('link', { name: /^below/ })
      .click();
    await expect.poll(names).toBe('acb');
    await heading(/^Sort by size, ascending/).click();
    await expect.poll(names).toBe('bca');
    await page.reload();
    await expect.poll(names).toBe('bca');
    await heading(/^Sort by name/).click();
    await expect.poll(names).toBe('abc');
    await page.getByRole('button', { name: 'Delete the file b.txt' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete b.txt' }).click();
    await expect.poll(names).toBe('ac');
    await expect
      .poll(() => page.evaluate('document.activeElement.dataset.entry'))
      .toBe('/ada/sorted/below/c.txt');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is deleted with everything in it after a question that counts and names it', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/files?path=/ada' });
    await page.getByRole('button', { name: 'Delete the folder old' }).click();
    const question = page.getByRole('alertdialog', { name: 'Delete the folder old?' });
    await question.getByText('6 files and 1 folder').waitFor();
    await question.getByText('five.txt').waitFor();
    await question.getByText('and 3 more').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await list(page).getByRole('link', { name: /^old/ }).click();
    await list(page)
      .getByRole('link', { name: /one\.txt/ })
      .waitFor();
    await page.getByRole('button', { name: 'Delete folder' }).click();
    const said = await watchFor(page, 'The folder old was deleted');
    await question.getByRole('button', { name: 'Delete old and 7 entries' }).click();
    await said();
    await list(page).getByRole('link', { name: /^zone/ }).waitFor();
    await list(page).getByRole('link', { name: /^old/ }).waitFor({ state: 'detached' });
    await expect.poll(() => list(page).locator(':focus').count()).toBe(1);
    expect((await shared.team.fetch('ada', '/fs/stat?path=/ada/old/one.txt')).status).toBe(404);
    for (const name of ['port', 'starboard']) await write(`/ada/flat/${name}.txt`, name);
    await page.getByRole('button', { name: 'Delete the folder flat' }).click();
    await page.getByRole('button', { name: 'Delete flat and 2 files' }).click();
    await list(page).getByRole('link', { name: /^flat/ }).waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await context.close();
  });

  it('that is a home, or of another member, offers no deletion', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/files?path=/ada' });
    await list(page)
      .getByRole('link', { name: /anchor/ })
      .waitFor();
    expect(await page.getByRole('button', { name: 'Delete folder' }).count()).toBe(0);
    await page.goto(`${shared.team.url}/app/files?path=/`);
    await list(page).getByRole('link', { name: /^ada/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Delete the folder/ }).count()).toBe(0);
    await context.close();
  });
});

describe('the content of a file', () => {
  it('is rendered Markdown, and its source', async () => {
    await write('/ada/seen/tides.md', '# Tides\n\n- high at **six**');
    const { page, context, errors } = await open('tides.md');
    const dialog = dialogOf(page, 'tides.md');
    await dialog.getByRole('heading', { name: 'Tides' }).waitFor();
    await dialog.getByRole('button', { name: 'Source' }).click();
    await dialog.getByText('- high at **six**').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is the source of Markdown that is too long to be rendered, and says so', async () => {
    await write('/ada/seen/almanac.md', `# Almanac\n\n${'- high at **six**\n'.repeat(1200)}`);
    const { page, context } = await open('almanac.md');
    const dialog = dialogOf(page, 'almanac.md');
    await dialog.getByText('This text is too long, or too deeply nested, to be rendered.').waitFor();
    await dialog.getByText('# Almanac').waitFor();
    expect(await dialog.getByRole('button', { name: 'Rendered' }).count()).toBe(0);
    await context.close();
  });

  it('is highlighted code, whatever type the upload gave it', async () => {
    await write('/ada/seen/depth.ts', 'export const depth = 12; // fathoms', 'video/mp2t');
    const { page, context, errors } = await open('depth.ts');
    const dialog = dialogOf(page, 'depth.ts');
    await dialog.locator('[data-token="keyword"]', { hasText: 'export' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is a diff with what was added and removed', async () => {
    await write('/ada/seen/depth.patch', '--- a/depth\n+++ b/depth\n@@ -1 +1 @@\n-12\n+13\n');
    const { page, context } = await open('depth.patch');
    await dialogOf(page, 'depth.patch')
      .getByRole('group', { name: /1 line added, 1 line removed/ })
      .waitFor();
    await context.close();
  });

  it('is an image that fits, or has its actual size', async () => {
    await write('/ada/seen/chart.png', picture(1600, 1600), 'image/png');
    const { page, context, errors } = await open('chart.png');
    const image = dialogOf(page, 'chart.png').getByRole('img', { name: 'chart.png' });
    const width = async () => Math.round((await image.boundingBox())?.width ?? 0);
    await image.waitFor();
    await expect.poll(width).toBeLessThan(1000);
    await page.getByRole('button', { name: 'Actual size' }).click();
    await expect.poll(width).toBe(1600);
    // The actions stay in sight below it.
    const dialog = (await dialogOf(page, 'chart.png').boundingBox())!;
    const remove = (await page.getByRole('button', { name: 'Delete chart.png' }).boundingBox())!;
    expect(remove.y + remove.height).toBeLessThanOrEqual(dialog.y + dialog.height);
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(width).toBeLessThan(1000);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is not shown if it is a PDF or not a text, and is shown in part if it is large', async () => {
    await write('/ada/seen/plan.pdf', '%PDF-1.7', 'application/pdf');
    await write('/ada/seen/noise.txt', new Uint8Array([0, 1, 2, 3]), 'text/plain');
    await write('/ada/seen/log.txt', 'a line of the log\n'.repeat(40_000), 'text/plain');
    const { page, context } = await open('plan.pdf');
    await dialogOf(page, 'plan.pdf').getByText('A PDF is not shown in the console').waitFor();
    await dialogOf(page, 'plan.pdf').getByRole('button', { name: 'Download' }).waitFor();
    await page.goto(`${shared.team.url}/app/files?path=/ada/seen&file=/ada/seen/noise.txt`);
    await dialogOf(page, 'noise.txt').getByText('This file is not a text').waitFor();
    await page.goto(`${shared.team.url}/app/files?path=/ada/seen&file=/ada/seen/log.txt`);
    await dialogOf(page, 'log.txt')
      .getByText(/Only the first .* of .* are shown/)
      .waitFor();
    await context.close();
  });
});
