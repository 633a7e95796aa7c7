import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { levels } from '#protocol/vocabulary.ts';
import { fateOf, pushPayload, pushTargets, retryDelayMs } from './web-push.rules.ts';

const message = (over: Partial<Message> = {}): Message => ({
  id: '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071' as Message['id'],
  ts: 1,
  from: 'ada',
  to: null,
  title: null,
  body: 'hello',
  level: 'info',
  data: {},
  attachments: [],
  ...over,
});
const everyone = ['ada', 'ben', 'cy', 'dan'];

describe('the recipients of a push', () => {
  it.each<[string, Partial<Message>, 'everyone' | string[], string[]]>([
    ['an ordinary broadcast: nobody', {}, 'everyone', []],
    ['a direct message: its recipient', { to: 'ben' }, ['ada', 'ben'], ['ben']],
    ['a direct message to oneself: nobody', { to: 'ada' }, ['ada'], []],
    ['a mention: who is mentioned', { body: 'ask @ben.' }, 'everyone', ['ben']],
    ['a mention in the title', { title: '@cy: look' }, 'everyone', ['cy']],
    ['a mention of oneself: nobody', { body: '@ada' }, 'everyone', []],
    ['a mention of somebody who cannot read it: nobody', { to: 'ben', body: '@cy' }, ['ada', 'ben'], ['ben']],
    ['notice: nobody', { level: 'notice' }, 'everyone', []],
    [
      'warning: everyone who can read it but the sender',
      { level: 'warning' },
      'everyone',
      ['ben', 'cy', 'dan'],
    ],
    ['critical in a channel: its members', { level: 'critical' }, ['ada', 'dan'], ['dan']],
    ['names are compared without regard to case', { body: '@Ben' }, 'everyone', ['ben']],
    ['code mentions nobody', { body: '`@ben`' }, 'everyone', []],
  ])('%s', (_, over, readers, targets) => {
    expect(pushTargets(message(over), readers, everyone)).toEqual(targets);
  });

  it('are never the sender, nor anybody who cannot read it', () => {
    const subset = fc.subarray(everyone);
    fc.assert(
      fc.property(
        fc.constantFrom(...everyone),
        fc.option(fc.constantFrom(...everyone)),
        fc.constantFrom(...levels),
        subset,
        subset,
        (from, to, level, mentioned, readers) => {
          const body = mentioned.map((name) => `@${name}`).join(' ');
          const targets = pushTargets(message({ from, to, level, body }), readers, everyone);
          expect(targets).not.toContain(from);
          for (const name of targets) expect(readers).toContain(name);
        },
      ),
    );
  });
});

describe('the payload', () => {
  it('has title, 180 characters, thread, URL, and id', () => {
    expect(
      JSON.parse(pushPayload(message({ to: 'ben', title: 'Build', body: `a\n b${'x'.repeat(300)}` }))),
    ).toEqual({
      title: 'ada: Build',
      body: `a b${'x'.repeat(176)}…`,
      thread: 'dm:ada',
      url: '/app/conversations/dm%3Aada?message=019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071',
      id: '019a1b2c-3d4e-7f00-8a1b-2c3d4e5f6071',
    });
  });

  it.each<[Partial<Message>, string]>([
    [{}, 'general'],
    [{ data: { thread: 'chan:general' } }, 'general'],
    [{ data: { thread: 'chan:ch_0123456789' } }, 'chan:ch_0123456789'],
    [{ data: { thread: 'obj:obj_0123456789' } }, 'obj:obj_0123456789'],
    [{ to: 'ben', data: { thread: 'x' } }, 'dm:ada'],
  ])('names the thread from its reader’s point of view: %j', (over, thread) => {
    expect(JSON.parse(pushPayload(message(over))).thread).toBe(thread);
  });

  it('is below 3 kB and well-formed whatever the message contains', () => {
    const any = fc.string({ unit: 'binary', maxLength: 70_000, size: 'max' });
    const hostile = [
      '\u0001'.repeat(65_536),
      '"\\'.repeat(30_000),
      '😀'.repeat(30_000),
      `${' '.repeat(719)}😀x`,
      '\u2028'.repeat(1000),
    ];
    const holds = (body: string, title: string | null) => {
      const payload = pushPayload(message({ from: 'x'.repeat(64), body, title }));
      expect(Buffer.byteLength(payload)).toBeLessThan(3000);
      expect(JSON.parse(payload).body.isWellFormed()).toBe(true);
      expect([...JSON.parse(payload).body].length).toBeLessThanOrEqual(180);
    };
    for (const text of hostile) holds(text, text.slice(0, 200).toWellFormed());
    fc.assert(fc.property(any, fc.option(any), holds), { numRuns: 50 });
  });
});

describe('the result of a push', () => {
  it.each([
    [201, 'delivered'],
    [404, 'gone'],
    [410, 'gone'],
    [429, 'retry'],
    [500, 'retry'],
    [503, 'retry'],
    [0, 'retry'],
    [302, 'dropped'],
    [400, 'dropped'],
    [403, 'dropped'],
    [413, 'dropped'],
  ])('%d: %s', (status, fate) => {
    expect(fateOf(status, true)).toBe(fate);
  });

  it.each<[number, boolean, string]>([
    [401, false, 'gone'],
    [403, false, 'gone'],
    [401, true, 'dropped'],
    [403, true, 'dropped'],
    [400, false, 'dropped'],
    [503, false, 'retry'],
  ])('%d while a message was taken under the present key (%s): %s', (status, isKeyProven, fate) => {
    expect(fateOf(status, isKeyProven)).toBe(fate);
  });

  it.each<[number, string | undefined, number]>([
    [1, undefined, 1000],
    [3, undefined, 4000],
    [1, '30', 30_000],
    [4, '1', 8000],
    [1, 'Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    [1, 'nonsense', 1000],
    [1, '999999999', 3_600_000],
    [99, undefined, 1_024_000],
  ])('after %d failures and Retry-After %s it waits %d ms', (failures, retryAfter, delay) => {
    expect(retryDelayMs(failures, retryAfter, 0)).toBe(delay);
  });
});
