import { describe, expect, it } from 'vitest';
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import type { HeldPost } from '#protocol/held.ts';
import type { Objective } from '#protocol/objective.ts';
import type { Presence } from '#protocol/presence.ts';
import {
  type AgentFacts,
  byNeed,
  contextTokens,
  lastActionOf,
  repeatedCall,
  silentMs,
  silentSince,
  stateOfAgent,
  stuckSigns,
  withSigns,
} from './fleet.rules.ts';

const now = 1_800_000_000_000;
const run = { host: 'mill', agent: 'Claude Code', since: now - 3_600_000, isResponding: true };
const presence = (over: object = {}) =>
  ({ name: 'coder', connected: 1, lastSeen: now, busy: false, run, ...over }) as Presence;
const objective = (over: object) =>
  ({ status: 'active', originator: 'ada', assignee: 'coder', blockReason: null, ...over }) as Objective;
const exchange = (ts: number, call: string | null, result: string | null, over: object = {}) =>
  ({
    ...{ id: ts, ts, kind: 'llm_exchange', duration: 1000 },
    exchange: {
      calls: call === null ? [] : [{ name: 'Read', key: call }],
      results: result === null ? [] : [{ key: result, isError: false }],
      usage: null,
      ...over,
    },
  }) as unknown as ActivitySummary;
const facts = (over: Partial<AgentFacts> = {}): AgentFacts => ({
  ...{ name: 'coder', presence: presence(), objectives: [], held: [], recent: [] },
  ...over,
});
const word = (over: Partial<AgentFacts>) => stateOfAgent(facts(over), () => '10:00').word;

describe('the state of an agent', () => {
  it.each<[string, Partial<AgentFacts>]>([
    ['offline', { presence: presence({ connected: 0 }) }],
    ['its runner does not respond', { presence: presence({ run: { ...run, isResponding: false } }) }],
    [
      'has neither the tools nor the messages of the team',
      { presence: presence({ run: { ...run, reach: 'nothing' } }) },
    ],
    [
      'refused by its model: limit until 10:00',
      { presence: presence({ model: { cause: 'limit', since: now, until: now } }) },
    ],
    ['working', { presence: presence({ busy: true }) }],
    ['online, idle', {}],
    ['online, idle', { objectives: [objective({})] }],
    ['waiting for ada', { objectives: [objective({ status: 'blocked' })] }],
    [
      'waiting for ben',
      { objectives: [objective({ status: 'blocked', blockReason: '@ben has the key, not @coder' })] },
    ],
    ['online, idle', { objectives: [objective({ status: 'blocked' }), objective({})] }],
    ['waiting for a manager, who decides on a held post', { held: [{} as HeldPost] }],
    [
      'waiting for a, b, c, and 1 more',
      { objectives: [objective({ status: 'blocked', blockReason: '@a @b @c @d' })] },
    ],
  ])('is: %s', (expected, over) => {
    expect(word(over)).toBe(expected);
  });
});

describe('an agent that works without an exchange', () => {
  const working = presence({ busy: true });
  const since = (over: Partial<AgentFacts>) => silentSince(facts({ presence: working, ...over }), now);
  it('is silent since its last exchange ended', () => {
    expect(since({ recent: [exchange(now - silentMs - 1000, null, null)] })).toBe(now - silentMs);
    expect(since({ recent: [exchange(now - silentMs, null, null)] })).toBeNull();
  });
  it('is silent since its run began if there was none in it', () => {
    expect(since({ recent: [] })).toBe(run.since);
    expect(since({ recent: [exchange(run.since - 5000, null, null)] })).toBe(run.since);
  });
  it('is not silent if it does not work, or if its activity is not known', () => {
    expect(since({ presence: presence(), recent: [] })).toBeNull();
    expect(since({ recent: undefined })).toBeNull();
  });
});

describe('the same call with the same result', () => {
  /** Newest first, as calls and results alternate: each exchange carries the results of the one before. */
  const chain = (...steps: [string | null, string | null][]) =>
    steps.map(([call, result], at) => exchange(100 - at, call, result));
  it('is found when it came three times', () => {
    const recent = chain(['x', 'r'], ['a', 'r'], ['a', 'r'], ['a', null]);
    expect(repeatedCall({ recent })).toEqual({ tool: 'Read', times: 3 });
  });
  it('is not found with other results, with other calls, or before the newest call', () => {
    expect(repeatedCall({ recent: chain(['x', 'r1'], ['a', 'r2'], ['a', 'r3'], ['a', null]) })).toBeNull();
    expect(repeatedCall({ recent: chain(['x', 'r'], ['b', 'r'], ['a', 'r'], ['a', null]) })).toBeNull();
    expect(
      repeatedCall({ recent: chain(['x', null], ['b', 'r'], ['a', 'r'], ['a', 'r'], ['a', null]) }),
    ).toBeNull();
  });
  it('makes a working agent stuck, and no other', () => {
    const recent = chain(['x', 'r'], ['a', 'r'], ['a', 'r'], ['a', null]).map((one) => ({ ...one, ts: now }));
    const signs = (busy: boolean) =>
      stuckSigns(facts({ presence: presence({ busy }), recent }), now, () => 'a while ago');
    expect(signs(true)).toEqual(['It called Read 3 times with the same result.']);
    expect(signs(false)).toEqual([]);
  });
});

it('knows the tokens in the context from the newest exchange with figures', () => {
  const usage = {
    inputTokens: 5,
    outputTokens: 9,
    cacheReadInputTokens: 100,
    cacheCreationInputTokens: null,
  };
  const recent = [exchange(2, null, null), exchange(1, null, null, { usage })];
  expect(contextTokens({ recent })).toBe(105);
  expect(contextTokens({ recent: [] })).toBeNull();
});

it('puts those that need somebody first', () => {
  const agent = (name: string, kind: 'idle' | 'working' | 'refused', stuck: string[] = []) =>
    ({ name, stuck, state: { kind, word: '', tone: 'neutral' } }) as const;
  const sorted = byNeed([
    agent('d', 'idle'),
    agent('c', 'working'),
    agent('b', 'refused'),
    agent('a', 'working', ['stuck']),
  ]);
  expect(sorted.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
});

describe('the last action', () => {
  const of = (row: object) => lastActionOf({ recent: [{ ts: now, ...row } as ActivitySummary] })?.words;
  const said = (over: object) => ({ exchange: { calls: [], text: '', status: 200, ...over } });
  it.each<[string, object]>([
    ['I fix it', said({ text: 'I fix it' })],
    ['Read, Bash: I look', said({ calls: [{ name: 'Read' }, { name: 'Bash' }], text: 'I look' })],
    ['an answer without words', said({})],
    ['Failed request to its model: 529', { isFailed: true, ...said({ status: 529 }) }],
    ['Failed request to its model', { isFailed: true, ...said({ status: null }) }],
    ['GET npm.example answered 200', { request: { method: 'GET', host: 'npm.example', status: 200 } }],
    [
      'GET npm.example answered 500',
      { isFailed: true, request: { method: 'GET', host: 'npm.example', status: 500 } },
    ],
    ['No answer to GET npm.example', { request: { method: 'GET', host: 'npm.example', status: null } }],
  ])('is said as "%s"', (words, row) => {
    expect(of(row)).toBe(words);
  });

  it('has failed only if the model refused it', () => {
    const failed = (row: object) =>
      lastActionOf({ recent: [{ ts: now, isFailed: true, ...row } as ActivitySummary] });
    expect(failed(said({ status: 529 }))?.isFailed).toBe(true);
    expect(failed({ request: { method: 'GET', host: 'npm.example', status: 500 } })?.isFailed).toBe(false);
  });

  it('is the newest request; changes of objectives are none', () => {
    const recent = [{ ts: 3, objectiveId: 'obj_1' }, exchange(2, 'read', null), exchange(1, 'ls', null)];
    expect(lastActionOf({ recent: recent as ActivitySummary[] })?.at).toBe(2);
    expect(lastActionOf({ recent: [] })).toBeNull();
    expect(lastActionOf({ recent: undefined })).toBeNull();
  });
});

it('says that an agent may be stuck instead of that it works', () => {
  const working = { kind: 'working', word: 'working', tone: 'positive' } as const;
  expect(withSigns(working, [])).toBe(working);
  expect(withSigns(working, ['It is silent.'])).toEqual({
    ...working,
    word: 'may be stuck',
    tone: 'critical',
  });
});
