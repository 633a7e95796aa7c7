/** The way to the browser on macOS and Windows, with a stand-in for its opener; login.verb.slow.test.ts has that of Linux. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLink } from './open-link.ts';

const link = 'http://127.0.0.1:8717/app#login=the-code';
const openers = { darwin: 'open', win32: 'rundll32' } as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
  await mkdir(join(folder, 'temp'));
});
afterEach(() => rm(folder, { recursive: true }));

async function open(platform: keyof typeof openers, exit = 0) {
  const script = `#!${process.execPath}
    require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'words'))}, JSON.stringify(process.argv.slice(2)));
    process.exit(${exit});`;
  await writeFile(join(folder, openers[platform]), script, { mode: 0o755 });
  let asked = 0;
  const opening = await openLink(
    async () => {
      asked += 1;
      return link;
    },
    { PATH: folder },
    { platform, folder: join(folder, 'temp') },
  );
  const words = JSON.parse(await readFile(join(folder, 'words'), 'utf8')) as string[];
  return { opening, words, asked: () => asked };
}

const leftovers = () => readdir(join(folder, 'temp'));

describe.skipIf(process.platform === 'win32').for(['darwin', 'win32'] as const)(
  'the opener on %s',
  (platform) => {
    it('gets the path of a private page, which leads to the link once and is then removed', async () => {
      const { opening, words, asked } = await open(platform);
      const page = fileURLToPath(words.at(-1) ?? '');
      expect(words.join(' ')).not.toMatch(/login=|the-code|127\.0\.0\.1/);
      expect((await stat(page)).mode & 0o777).toBe(0o600);
      expect(asked()).toBe(0);
      const html = await readFile(page, 'utf8');
      const address = /url=(http:[^"]+)"/.exec(html)?.[1] ?? '';
      expect(words.join(' ')).not.toContain(new URL(address).pathname.slice(1));
      const reply = await fetch(address, { redirect: 'manual' });
      expect([reply.status, reply.headers.get('location')]).toEqual([302, link]);
      expect(await opening.isFetched).toBe(true);
      await expect(fetch(address, { redirect: 'manual' })).rejects.toThrow();
      expect(await leftovers()).toEqual([]);
    });

    it('gets nothing that another path opens, and leaves nothing if nobody takes the link', async () => {
      const { opening, words, asked } = await open(platform);
      const html = await readFile(fileURLToPath(words.at(-1) ?? ''), 'utf8');
      const { origin } = new URL(/url=(http:[^"]+)"/.exec(html)?.[1] ?? '');
      expect((await fetch(`${origin}/guessed`, { redirect: 'manual' })).status).toBe(404);
      await opening.close();
      expect([await opening.isFetched, asked()]).toEqual([false, 0]);
      expect(await leftovers()).toEqual([]);
    });

    it('is not started without a page', async () => {
      await writeFile(join(folder, 'file'), '');
      const opening = await openLink(
        async () => link,
        { PATH: folder },
        { platform, folder: join(folder, 'file') },
      );
      expect([opening.isTaken, await opening.isFetched]).toEqual([false, false]);
    });

    it('leaves nothing if it fails', async () => {
      const { opening } = await open(platform, 1);
      expect([opening.isTaken, await opening.isFetched]).toEqual([false, false]);
      expect(await leftovers()).toEqual([]);
    });
  },
);
