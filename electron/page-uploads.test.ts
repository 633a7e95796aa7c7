import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebContents } from 'electron';
import { expect, onTestFinished, test } from 'vitest';
import type { BrokerHost } from './broker-host.ts';
import { createPageUploads } from './page-uploads.ts';
import { createSessionJar } from './session-jar.ts';

const page = {} as WebContents;
const bytes = new Uint8Array(1024);

/** Uploads to a server that replies with the number of bytes it got. */
async function uploadsTo(): Promise<ReturnType<typeof createPageUploads>> {
  const server = createServer(async (request, reply) => {
    const body = await buffer(request).catch(() => null);
    reply.end(String(body?.length));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const host: Pick<BrokerHost, 'address' | 'state'> = {
    address: url,
    state: { kind: 'running', url, isSetUp: true },
  };
  return createPageUploads({ host, jar: createSessionJar(() => undefined) });
}

test('takes one part after another, and none after the end', async () => {
  const { handlers } = await uploadsTo();
  handlers.openUpload({ upload: 1, url: '/fs/write?path=/ada/a' }, { page });
  const send = async () => handlers.sendUpload({ upload: 1, bytes }, { page });
  const first = send();
  await expect(send()).rejects.toMatchObject({ code: 'conflict' });
  expect(await first).toBe(true);
  expect(await send()).toBe(true);
  const ending = handlers.endUpload(1, { page });
  await expect(send()).rejects.toMatchObject({ code: 'conflict' });
  expect(await ending).toEqual({ status: 200, body: '2048' });
});

test('does not replace an upload that is under way by another one with its number', async () => {
  const { handlers } = await uploadsTo();
  const open = async () => handlers.openUpload({ upload: 1, url: '/fs/write?path=/ada/a' }, { page });
  await open();
  const ending = handlers.endUpload(1, { page });
  await expect(open()).rejects.toMatchObject({ code: 'conflict' });
  expect(await ending).toEqual({ status: 200, body: '0' });
  await open();
  expect(await handlers.sendUpload({ upload: 1, bytes }, { page })).toBe(true);
});

test('stops every upload at the end of the app', async () => {
  const { handlers, close } = await uploadsTo();
  for (const upload of [1, 2]) handlers.openUpload({ upload, url: '/fs/write?path=/ada/a' }, { page });
  const endings = [1, 2].map(async (upload) => handlers.endUpload(upload, { page }));
  close();
  for (const ending of endings) await expect(ending).rejects.toMatchObject({ code: 'unavailable' });
});
