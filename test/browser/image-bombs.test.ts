/** A small file that is a huge image is not decoded, neither in a thread nor in the viewer. Linux: it reads /proc. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from './testing/chromium.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], mal: [] } }, await launchChromium());
});
afterAll(() => shared?.stop());

function chunk(type: string, data: Buffer): Buffer {
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const body = Buffer.concat([Buffer.from(type), data]);
  size.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, check]);
}

/** A square of one color with one bit per pixel; decoded, each pixel takes four bytes. */
function squareOf(side: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side), { level: 9 });
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most that one process of the browser ever had, in MiB. */
async function peakMemory(): Promise<number> {
  const session = await shared.browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const peaks = await Promise.all(
    processInfo.map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    }),
  );
  return Math.max(...peaks);
}

it.runIf(process.platform === 'linux')('images of 18 kB each take no gigabyte', async () => {
  const { team } = shared;
  const body = squareOf(12_000);
  const attachments = [0, 1, 2, 3].map((n) => `/mal/picture-${n}.png`);
  for (const path of attachments) {
    const query = new URLSearchParams({ path, mime: 'image/png' });
    const headers = { 'content-type': 'application/octet-stream' };
    const reply = await team.fetch('mal', `/fs/write?${query}`, { method: 'POST', headers, body });
    expect(reply.status).toBe(200);
  }
  await team.as('mal').call('push', { body: { to: 'ada', body: 'look', attachments } });
  const { page, context, errors } = await shared.open('ada');
  await page.getByRole('main').waitFor();
  const before = await peakMemory();
  await page.goto('/app/conversations/dm:mal');
  await expect.poll(() => page.getByText('No preview').count()).toBe(attachments.length);
  await page.getByRole('link', { name: 'picture-0.png' }).click();
  const dialog = page.getByRole('dialog', { name: 'picture-0.png' });
  await dialog.getByText('This image has 12000 × 12000 pixels').waitFor();
  expect(await dialog.getByRole('img').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Download' }).waitFor();
  expect((await peakMemory()) - before).toBeLessThan(400);
  expect(errors).toEqual([]);
  await context.close();
});
