/** The devices that wait for approval, and their member, if the broker answers late. */
import { expect, onTestFinished, test } from 'vitest';
import type { BrokerClient } from '#protocol/client.ts';
import type { BrokerHost, HostReply, HostRequest } from './broker-host.ts';
import { createPendingDevices } from './pending-devices.ts';
import { sessionClient } from './session-client.ts';
import { createSessionJar } from './session-jar.ts';

const sessionOf = (member: string): HostReply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  setCookie: undefined,
  body: Buffer.from(JSON.stringify({ member, permissions: [], expiresAt: 1 })),
});

test('ignores an answer for a member who has logged out, after another member logged in', async () => {
  const late = Promise.withResolvers<HostReply>();
  const host: BrokerHost = {
    state: { kind: 'running', url: 'http://127.0.0.1:1', isSetUp: true },
    address: 'http://127.0.0.1:1',
    setupPage: null,
    lan: null,
    key: null,
    start: async () => undefined,
    startAgain: async () => undefined,
    stop: async () => undefined,
    request: ({ headers }: HostRequest) =>
      headers.cookie?.includes('ben') ? late.promise : Promise.resolve(sessionOf('ada')),
  };
  const jar = createSessionJar(() => undefined);
  jar.restore('ben');
  const seen: (string | null)[] = [];
  const devices = createPendingDevices({
    host,
    jar,
    client: sessionClient(host, jar),
    onChange: () => seen.push(devices.member),
    onMessage: () => undefined,
    onNews: () => undefined,
    log: { warn: () => undefined },
  });
  onTestFinished(() => devices.close());
  const ben = devices.follow();
  jar.exchange().keepCookie('svc_session=ada; Path=/');
  await devices.follow();
  expect(seen.at(-1)).toBe('ada');
  late.resolve(sessionOf('ben'));
  await ben;
  expect(seen.at(-1)).toBe('ada');
});

test('ignores a list of devices that arrives after a newer one', async () => {
  const late = Promise.withResolvers<{ enrollments: object[] }>();
  const waiting = {
    userCode: 'BCDF-GHJK',
    labelHint: null,
    sourceIp: null,
    userAgent: null,
    createdAt: 1,
    expiresAt: 2,
  };
  let lists = 0;
  const client = {
    async call(operation: string) {
      if (operation === 'session') return { member: 'ada', permissions: ['members.manage'], expiresAt: 1 };
      lists += 1;
      return lists === 2 ? late.promise : { enrollments: [] };
    },
  } as unknown as BrokerClient;
  const jar = createSessionJar(() => undefined);
  jar.restore('ada');
  const host = {
    state: { kind: 'running', url: 'http://127.0.0.1:1', isSetUp: true },
    address: 'http://127.0.0.1:1',
  } as BrokerHost;
  const devices = createPendingDevices({
    host,
    jar,
    client,
    onChange: () => undefined,
    onMessage: () => undefined,
    onNews: () => undefined,
    log: { warn: () => undefined },
  });
  onTestFinished(() => devices.close());
  await devices.follow();
  const early = devices.read();
  await devices.read();
  late.resolve({ enrollments: [waiting] });
  await early;
  expect(lists).toBe(3);
  expect(devices.pending).toEqual([]);
});
