/**
 * The console's session belongs to its page (ADR 0029): a browser sends the cookie to every port of the host, so
 * that each program of the developer receives it.
 */

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { deflateSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt, freshAuthenticator } from '../../broker/testing/test-authenticator.ts';
import { complaintsOf } from './testing/chromium.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
/** A developer's own program on another port of the same host. It notes which cookies it receives. */
let devServer: Server;
let devUrl: string;
const received: string[] = [];
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['operator'] } });
  devServer = createServer((request, response) => {
    received.push(request.headers.cookie ?? '');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>dev</title>');
  });
  await new Promise<void>((resolve) => devServer.listen(0, '127.0.0.1', resolve));
  const address = devServer.address();
  devUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
});
afterAll(async () => {
  await shared?.stop();
  devServer?.close();
});

const whoami = (page: Page) => page.getByRole('link', { name: 'ada Me', exact: true });
const log = (page: Page) => page.getByRole('log', { name: 'Messages' });

async function logInByForm(): Promise<{ context: BrowserContext; page: Page; errors: string[] }> {
  const totpSecret = await freshAuthenticator(shared.team, 'ada');
  const context = await shared.browser.newContext({ baseURL: shared.team.url, acceptDownloads: true });
  const page = await context.newPage();
  await page.goto('/app');
  await page.getByLabel('Member').fill('ada');
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  await whoami(page).waitFor();
  return { context, page, errors: complaintsOf(page, shared.team.url) };
}

const say = (body: string) => shared.team.as('ben').call('push', { body: { to: null, body } });

/** One red pixel. */
function png(): Uint8Array<ArrayBuffer> {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    let crc = 0xffffffff;
    for (const byte of body) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const size = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixel = deflateSync(Buffer.from([0, 255, 0, 0]));
  const start = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return new Uint8Array(
    Buffer.concat([start, chunk('IHDR', size), chunk('IDAT', pixel), chunk('IEND', Buffer.alloc(0))]),
  );
}

async function write(path: string, mime: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const query = new URLSearchParams({ path, mime, collide: 'overwrite' });
  const reply = await shared.team.fetch('ada', `/fs/write?${query}`, { method: 'POST', body });
  expect(reply.status).toBe(200);
}

it('managers see who fails to log in, and members do not', async () => {
  for (let n = 0; n < 6; n++)
    await fetch(`${shared.team.url}/session/totp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: '000000', member: `nobody ${n}` }),
    });
  const { page, context, errors } = await shared.open('ada');
  await page.getByText('6 failed logins from 127.0.0.1 in the last 15 minutes.').waitFor();
  await context.close();
  const other = await shared.open('ben', { path: '/app/objectives' });
  await other.page.getByRole('heading', { name: 'Objectives', level: 1 }).waitFor();
  expect(await other.page.getByText('failed logins').count()).toBe(0);
  expect([...errors, ...other.errors]).toEqual([]);
  await other.context.close();
});

describe('the session of the console', () => {
  it('is of no use to a program on another port, which receives its cookie', async () => {
    const { context, page } = await logInByForm();
    const elsewhere = await context.newPage();
    await elsewhere.goto(devUrl);
    const stolen = received.find((cookie) => cookie.includes('svc_session=')) ?? '';
    expect(stolen).toMatch(/svc_session=[\w-]{43}/);
    for (const [method, path] of [
      ['GET', '/session'],
      ['GET', '/history'],
      ['GET', '/subscribe?name=ada'],
      ['GET', '/fs/ls?path=/ada'],
      ['POST', '/members/ada/rotate-token'],
    ] as const) {
      const reply = await fetch(shared.team.url + path, { method, headers: { cookie: stolen } });
      expect(reply.status, path).toBe(401);
      expect(await reply.json()).toMatchObject({ reason: 'session_not_of_this_page' });
    }
    expect(await elsewhere.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
    await page.reload();
    await whoami(page).waitFor();
    await context.close();
  });

  it('goes on after a reload and in a second tab, live, with pictures, downloads, and uploads', async () => {
    await write('/ada/dot.png', 'image/png', png());
    await write('/ada/page.html', 'text/html', '<script>document.title = "evil"</script>');
    const { context, page, errors } = await logInByForm();
    await page.goto('/app/conversations/general');
    const second = await context.newPage();
    await second.goto('/app/conversations/general');
    await say('to both tabs');
    for (const tab of [page, second]) await log(tab).getByText('to both tabs').waitFor();

    await page.goto('/app/files?path=/ada&file=/ada/dot.png');
    const picture = page.getByRole('img', { name: 'dot.png' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((it) => (it as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);

    await page.goto('/app/files?path=/ada&file=/ada/page.html');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('page.html');
    expect(await readFile(await download.path(), 'utf8')).toContain('evil');

    await page.goto('/app/files?path=/ada');
    await page.locator('input[type=file]').setInputFiles({
      name: 'up.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('from the page'),
    });
    await page
      .getByRole('link', { name: 'up.txt' })
      .or(page.getByRole('link', { name: 'up.txt' }))
      .first()
      .waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is bound in the session list, and ends in every tab when it signs out everywhere', async () => {
    const { context, page } = await logInByForm();
    const second = await context.newPage();
    await second.goto('/app/admin/people?member=ada');
    await second.getByText('this session').waitFor();
    await second.getByText('bound to its page').first().waitFor();
    await second.getByRole('button', { name: 'Sign out everywhere' }).click();
    await second.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    for (const tab of [page, second]) await tab.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
    expect((await shared.team.as('ada').call('sessions', { query: {} })).sessions).toEqual([]);
    await context.close();
  });
});
