import { createHmac } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type Home } from '../testing/command.ts';

let home: Home;
beforeAll(async () => {
  home = await createHome();
});
afterAll(() => home.remove());

/** RFC 6238 by hand: what an authenticator app computes. */
function codeOf(totpUri: string): string {
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const logIn = (url: string, totpUri: string) =>
  fetch(`${url}/session/totp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: codeOf(totpUri), member: 'ada' }),
  });

it('recovers a lost key with muster setup --new-vapid and new authenticators; token hashes survive', async () => {
  const made = JSON.parse((await home.run(['setup', '--team', 'Lab', '--admin', 'ada', '--json'])).stdout);
  const oldKey = JSON.parse(await readFile(home.path('svc.json'), 'utf8')).webPush.vapidPublicKey;
  await rm(home.path('svc.json.kek'));

  const wounded = await home.serve();
  expect(wounded.stderr()).toContain('totpSecret:ada cannot be decrypted');
  expect(wounded.stderr()).toContain('muster setup --new-vapid');
  expect((await logIn(wounded.url, made.totpUri)).status).toBe(401);
  expect((await fetch(`${wounded.url}/push/vapid-public-key`)).status).toBe(404);
  const env = { SVC_URL: wounded.url, SVC_TOKEN: made.token };
  const enrolled = JSON.parse((await home.run(['members', 'enroll-totp', 'ada', '--json'], { env })).stdout);
  expect((await logIn(wounded.url, enrolled.totpUri)).status).toBe(200);
  wounded.child.kill('SIGTERM');
  await wounded.ended;

  expect((await home.run(['setup', '--new-vapid'])).code).toBe(0);
  const healed = await home.serve();
  expect(healed.stderr()).not.toContain('cannot be decrypted');
  const { publicKey } = (await (await fetch(`${healed.url}/push/vapid-public-key`)).json()) as {
    publicKey: string;
  };
  expect(publicKey).not.toBe(oldKey);
});
