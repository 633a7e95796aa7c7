import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bindAuthenticator, codeAt, cookieOf, logInWith } from './testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

/** More than the sockets of both sides hold. */
const fileBytes = 48 * 1024 * 1024;
let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
});
afterEach(() => team.stop());

const bearer = (name: string) => ({ authorization: `Bearer ${team.token(name)}` });

/** A reply that nobody has read yet. */
function unread(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(team.url + path, { headers, agent: false }, resolve).on('error', reject);
  });
}

/** Reads to the end. Returns whether the reply was complete. */
async function isWhole(reply: IncomingMessage): Promise<boolean> {
  reply.on('error', () => undefined).resume();
  await new Promise((resolve) => reply.once('close', resolve));
  return reply.complete;
}

async function writeFile(): Promise<void> {
  const reply = await team.fetch('ben', '/fs/write?path=/ben/big&collide=overwrite', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(fileBytes),
  });
  expect(reply.status).toBe(200);
}

async function logIn(): Promise<string> {
  const secret = await bindAuthenticator(team, 'ben');
  return cookieOf(await logInWith(team, codeAt(secret, Date.now()), 'ben'));
}

describe('a download', () => {
  it('ends with the token that asked for it, and another member’s goes on', async () => {
    await writeFile();
    const [own, others] = await Promise.all(
      ['ben', 'ada'].map((name) => unread('/fs/read/ben/big', bearer(name))),
    );
    await team.as('ada').call('rotateToken', { params: { name: 'ben' } });
    expect(await isWhole(own as IncomingMessage)).toBe(false);
    expect(await isWhole(others as IncomingMessage)).toBe(true);
  });

  it('ends with its session', async () => {
    await writeFile();
    const cookie = await logIn();
    const download = await unread('/fs/read/ben/big', { cookie });
    await team.as('ben').call('endSessions', { query: {} });
    expect(await isWhole(download)).toBe(false);
  });

  it('ends when its member is removed', async () => {
    await writeFile();
    const download = await unread('/fs/read/ben/big', bearer('ben'));
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    expect(await isWhole(download)).toBe(false);
  });
});

it('a list that is sent in pages ends with its token', async () => {
  const body = 'x'.repeat(60_000);
  for (let n = 0; n < 10; n++)
    await Promise.all(
      Array.from({ length: 40 }, () => team.as('ada').call('push', { body: { to: 'ben', body } })),
    );
  const list = await unread('/history?with=ada&limit=400', bearer('ben'));
  await team.as('ada').call('rotateToken', { params: { name: 'ben' } });
  expect(await isWhole(list)).toBe(false);
});
