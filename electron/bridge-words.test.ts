import type { IpcMainInvokeEvent, WebContents } from 'electron';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { BridgeRefusal, type BridgeWord, createBridgeWords } from './bridge-words.ts';

type Listener = (event: IpcMainInvokeEvent, argument: unknown) => unknown;

/** Only these two are told apart; the engine's own are not there. */
const own = { id: 1 } as WebContents;
const other = { id: 2 } as WebContents;
const listeners = new Map<string, Listener>();
let warnings: object[];
let handle: BridgeWord;

beforeEach(() => {
  listeners.clear();
  warnings = [];
  handle = createBridgeWords({
    ipc: { handle: (channel, listener) => void listeners.set(channel, listener) },
    isOwnWindow: (contents) => contents === own,
    log: { warn: (details) => warnings.push(details) },
  });
});

const frame = (over: object = {}) => ({ parent: null, url: 'muster://console/app', ...over });
const say = (argument: unknown, sender: WebContents = own, senderFrame: object | null = frame()) =>
  listeners.get('word')?.({ sender, senderFrame } as IpcMainInvokeEvent, argument);

test('the console’s own page is answered', async () => {
  handle('word', z.string(), (text) => text.length);
  expect(await say('four')).toEqual({ ok: true, value: 4 });
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
])('%s is refused before what it says is looked at', async (_who, sender, senderFrame) => {
  let hasRun = false;
  handle('word', z.string(), () => {
    hasRun = true;
  });
  for (const argument of ['four', { not: 'a string' }])
    expect(await say(argument, sender, senderFrame)).toMatchObject({ ok: false, code: 'forbidden' });
  expect(hasRun).toBe(false);
});

test('what is not of the word’s shape is refused, and nothing runs', async () => {
  let hasRun = false;
  handle('word', z.strictObject({ id: z.uuid() }), () => {
    hasRun = true;
  });
  for (const argument of [undefined, null, 'x', { id: '../x' }, { id: crypto.randomUUID(), path: '/etc' }])
    expect(await say(argument)).toMatchObject({ ok: false, code: 'bad_request' });
  expect(hasRun).toBe(false);
});

test('a refusal is its code and sentence; any other error says nothing of itself to the page, and stands in the log', async () => {
  handle('word', z.boolean(), (isRefusal) => {
    throw isRefusal ? new BridgeRefusal('conflict', 'not now') : new Error('ENOENT: /home/ada/secret');
  });
  expect(await say(true)).toEqual({ ok: false, code: 'conflict', message: 'not now' });
  const reply = await say(false);
  expect(reply).toMatchObject({ ok: false, code: 'unavailable' });
  expect(JSON.stringify(reply)).not.toContain('secret');
  expect(warnings).toMatchObject([{ channel: 'word' }]);
});
