import type { IpcMainInvokeEvent, WebContents } from 'electron';
import { beforeEach, expect, test } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { bridgeCalls, type CallName, channelOf } from './bridge.ts';
import { Refusal } from './refusal.ts';
import { type BridgeHandlers, type ManagerCaller, serveBridge } from './serve-bridge.ts';

type Listener = (event: IpcMainInvokeEvent, argument: unknown) => unknown;

/** A stand-in: only the identity of the two pages matters here. */
const own = { id: 1 } as WebContents;
const other = { id: 2 } as WebContents;
const id = crypto.randomUUID();
const listeners = new Map<string, Listener>();
let warnings: object[];
let called: string[];
let answer: (argument: unknown, caller: ManagerCaller) => unknown;
let requireManager: () => Promise<string>;

beforeEach(() => {
  listeners.clear();
  [warnings, called] = [[], []];
  answer = () => null;
  requireManager = async () => 'ada';
  const names = Object.keys(bridgeCalls) as CallName[];
  serveBridge({
    ipc: { handle: (channel, listener) => void listeners.set(channel, listener) },
    handlers: Object.fromEntries(
      names.map((name) => [
        name,
        (argument: unknown, caller: ManagerCaller) => {
          called.push(name);
          return answer(argument, caller);
        },
      ]),
    ) as unknown as BridgeHandlers,
    isOwnPage: (contents) => contents === own,
    requireManager: () => requireManager(),
    log: { warn: (details) => warnings.push(details) },
  });
});

const frame = (over: object = {}) => ({ parent: null, url: 'muster://console/app', ...over });
const say = (
  name: CallName,
  argument: unknown,
  sender: WebContents = own,
  senderFrame: object | null = frame(),
) => listeners.get(channelOf(name))?.({ sender, senderFrame } as IpcMainInvokeEvent, argument);

test('gives the console’s own page the result of the handler', async () => {
  answer = (argument, { page, member }) => ({ argument, isOwn: page === own, member });
  expect(await say('stopAgent', id)).toEqual({
    ok: true,
    value: { argument: id, isOwn: true, member: 'ada' },
  });
});

test('refuses a model address that is no URL, or has a password, before the handler runs', async () => {
  const start = { member: 'ada', kind: 'command', folder: id, program: id, args: [], isUnattended: false };
  for (const modelUrl of ['', 'model', 'http://[', 'ftp://host', 'https://me:secret@host'])
    expect(await say('startAgent', { ...start, modelUrl }), modelUrl).toMatchObject({ code: 'bad_request' });
  expect(called).toEqual([]);
  expect(await say('startAgent', { ...start, modelUrl: 'https://host/v1' })).toMatchObject({ ok: true });
});

test('refuses a call that needs members.manage without it, and does not check it for other calls', async () => {
  requireManager = async () => {
    throw new Refusal('forbidden', 'it needs members.manage');
  };
  for (const name of ['listAgents', 'lanState', 'exportKey'] as const)
    expect(await say(name, null)).toEqual({
      ok: false,
      code: 'forbidden',
      message: 'it needs members.manage',
    });
  expect(called).toEqual([]);
  expect(await say('closeFeed', 1)).toMatchObject({ ok: true });
});

test.each<[string, WebContents, object | null]>([
  ['another window', other, frame()],
  ['a frame inside the page', own, frame({ parent: frame() })],
  ['a frame that is gone', own, null],
  ['another origin', own, frame({ url: 'https://a.example/app' })],
  ['a host with the console’s name in it', own, frame({ url: 'muster://console.example/app' })],
  ['loopback', own, frame({ url: 'http://127.0.0.1:8717/app' })],
  ['a file', own, frame({ url: 'file:///app' })],
  ['an empty page', own, frame({ url: 'about:blank' })],
])('refuses %s before it reads the argument', async (_who, sender, senderFrame) => {
  for (const argument of [id, { not: 'an id' }])
    expect(await say('stopAgent', argument, sender, senderFrame)).toMatchObject({
      ok: false,
      code: 'forbidden',
    });
  expect(called).toEqual([]);
});

test('refuses an argument of another form, and runs nothing', async () => {
  for (const argument of [undefined, null, 'x', '../x', { id, path: '/etc' }])
    expect(await say('stopAgent', argument)).toMatchObject({ ok: false, code: 'bad_request' });
  expect(called).toEqual([]);
});

test('replies with the code and message of a refusal; any other error is only logged', async () => {
  const errors = [
    new Refusal('conflict', 'not now'),
    new BrokerError('not_found', 'no such member'),
    new Error('ENOENT: /home/ada/secret'),
  ];
  answer = () => {
    throw errors.shift();
  };
  expect(await say('stopAgent', id)).toEqual({ ok: false, code: 'conflict', message: 'not now' });
  expect(await say('stopAgent', id)).toEqual({ ok: false, code: 'not_found', message: 'no such member' });
  const reply = await say('stopAgent', id);
  expect(reply).toMatchObject({ ok: false, code: 'unavailable' });
  expect(JSON.stringify(reply)).not.toContain('secret');
  expect(warnings).toMatchObject([{ call: 'stopAgent' }]);
});
