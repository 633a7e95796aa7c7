import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Message } from '#protocol/message.ts';
import { wakePolicies } from '#protocol/vocabulary.ts';
import { type Sleeper, wakes } from './wakes.rules.ts';

const message = (over: object = {}): Message =>
  Message.parse({
    id: '019a1b2c-3d4e-7f00-8a1b-000000000001',
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
const ben: Sleeper = { name: 'ben', policy: 'default', isManager: false, objectives: new Set() };
const byAgent = { agent: { hops: 1 } };
const channel = { data: { thread: 'chan:ch_1' } };
const thread = { data: { thread: 'obj:obj_1' } };
const assigned = {
  data: {
    thread: 'obj:obj_1',
    event: { type: 'objective.assigned', objectiveId: 'obj_1', seq: 1, payload: { assignee: 'ben' } },
  },
};

describe('a message', () => {
  it.each([
    ['a direct message of an agent', { to: 'ben', ...byAgent }, true, true],
    ['a broadcast by a person', {}, true, false],
    ['a broadcast by an agent', byAgent, false, false],
    ['a channel post by a person', channel, true, false],
    ['a channel post by an agent', { ...channel, ...byAgent }, false, false],
    ['a released broadcast of an agent', { agent: { hops: 0 } }, false, false],
    ['a mention by an agent', { ...channel, ...byAgent, body: 'ask @ben.' }, true, true],
    ['a mention in the title', { ...byAgent, title: '@ben' }, true, true],
    ['a mention of somebody else', { ...byAgent, body: '@benny' }, false, false],
    ['a post of an agent in the thread of an objective', { ...thread, ...byAgent }, true, true],
  ])('%s wakes, by default: %s, with `mentions`: %s', (_, over, byDefault, byMentions) => {
    expect(wakes(message(over), ben)).toBe(byDefault);
    expect(wakes(message(over), { ...ben, policy: 'mentions' })).toBe(byMentions);
    expect(wakes(message(over), { ...ben, policy: 'all' })).toBe(true);
  });

  it('in a thread wakes a manager only for an objective of its own, an assignment to it, or a person', () => {
    const manager = { ...ben, isManager: true };
    expect(wakes(message({ ...thread, ...byAgent }), manager)).toBe(false);
    expect(wakes(message({ ...thread, ...byAgent }), { ...manager, objectives: new Set(['obj_1']) })).toBe(
      true,
    );
    expect(wakes(message({ ...assigned, ...byAgent }), manager)).toBe(true);
    expect(wakes(message(thread), manager)).toBe(true);
  });

  it('wakes with a wider policy whenever it wakes with a narrower one', () => {
    const over = fc.record(
      {
        to: fc.constantFrom('ben', null),
        body: fc.constantFrom('x', '@ben', '@cy'),
        agent: fc.constantFrom(undefined, { hops: 3 }),
        data: fc.constantFrom({}, channel.data, thread.data),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(over, fc.boolean(), (given, isManager) => {
        const [all, byDefault, mentions] = wakePolicies.map((policy) =>
          wakes(message(given), { ...ben, isManager, policy }),
        );
        expect(all).toBe(true);
        expect(byDefault || !mentions).toBe(true);
      }),
    );
  });
});
