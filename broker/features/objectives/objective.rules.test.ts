import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Leaf, leaves } from '#protocol/access.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { Objective, ObjectiveEventBody, ObjectiveStatus } from '#protocol/objective.ts';
import { type Change, create, decide, type Move, type Mover, release } from './objective.rules.ts';
import { objectiveIn, personas } from './testing/objective-fixture.ts';

const around = { unknown: ['nobody'], now: 5 };
const moveByName: Record<string, Move> = {
  block: { kind: 'update', status: 'blocked', blockReason: 'no paint' },
  unblock: { kind: 'update', status: 'active', blockReason: null },
  'change the reason': { kind: 'update', status: null, blockReason: 'no brush' },
  complete: { kind: 'complete', result: 'painted' },
  cancel: { kind: 'cancel', reason: null },
  reassign: { kind: 'reassign', to: 'dee', note: null },
  'change watchers': { kind: 'watchers', add: ['fay'], remove: ['dee'] },
};
const statuses: ObjectiveStatus[] = ['active', 'blocked', 'done', 'cancelled'];

/** Returns the state after the move, `same` if nothing changes, or the code of the refusal. */
function outcome(objective: Objective, move: Move, mover: Mover, unknown = around.unknown): string {
  try {
    const change = decide(objective, move, mover, { unknown, now: 5 });
    return change.events.length === 0 ? 'same' : change.objective.status;
  } catch (error) {
    if (error instanceof BrokerError) return error.code;
    throw error;
  }
}

/** The roles that may make each move (specification/objectives.md#states). */
const mayByMove: Record<string, string[]> = {
  block: ['assignee', 'manager'],
  unblock: ['assignee', 'manager'],
  'change the reason': ['assignee', 'manager'],
  complete: ['assignee'],
  cancel: ['originator', 'canceller'],
  reassign: ['manager'],
  'change watchers': ['originator', 'keeper of watchers'],
};

/**
 * The result of each move from each state, for a member who may make it (specification/objectives.md#states).
 */
const table: Record<string, Record<ObjectiveStatus, string>> = {
  block: { active: 'blocked', blocked: 'blocked', done: 'conflict', cancelled: 'conflict' },
  unblock: { active: 'same', blocked: 'active', done: 'conflict', cancelled: 'conflict' },
  'change the reason': { active: 'bad_request', blocked: 'blocked', done: 'conflict', cancelled: 'conflict' },
  complete: { active: 'done', blocked: 'done', done: 'conflict', cancelled: 'conflict' },
  cancel: { active: 'cancelled', blocked: 'cancelled', done: 'gone', cancelled: 'conflict' },
  reassign: { active: 'active', blocked: 'blocked', done: 'gone', cancelled: 'conflict' },
  'change watchers': { active: 'active', blocked: 'blocked', done: 'conflict', cancelled: 'conflict' },
};

const cases = Object.keys(moveByName).flatMap((name) =>
  statuses.flatMap((status) =>
    Object.keys(personas).map((persona) => {
      const expected = mayByMove[name]!.includes(persona) ? table[name]![status] : 'forbidden';
      return [persona, name, status, expected] as const;
    }),
  ),
);

it('says in words which member may make a move', () => {
  const make = (name: string) => () =>
    decide(objectiveIn('active'), moveByName[name]!, personas.outsider!, around);
  expect(make('complete')).toThrow('you may not do this: it needs the objective’s assignee');
  expect(make('cancel')).toThrow(/: it needs (?!being).*the objective’s originator/);
});

describe('the state machine', () => {
  it.each(cases)('%s: %s on an objective that is %s is %s', (persona, name, status, expected) => {
    expect(outcome(objectiveIn(status), moveByName[name]!, personas[persona]!)).toBe(expected);
  });
});

const change = (status: ObjectiveStatus, name: string, mover = 'manager'): Change =>
  decide(objectiveIn(status), moveByName[name]!, personas[mover]!, around);

describe('a move', () => {
  it('that creates sets the originator, de-duplicates watchers, and appends assigned', () => {
    const { objective, events } = create(
      {
        ...objectiveIn('active'),
        originator: 'cy',
        watchers: ['dee', 'dee', 'ben', 'ada'],
        attachments: ['/cy/a', '/cy/a'],
      },
      around,
    );
    expect(objective).toMatchObject({
      status: 'active',
      originator: 'cy',
      watchers: ['dee', 'ada'],
      attachments: ['/cy/a'],
      createdAt: 5,
      updatedAt: 5,
      completedAt: null,
    });
    expect(events).toEqual([
      {
        kind: 'assigned',
        payload: { assignee: 'ben', title: 'Ship', outcome: 'It is shipped', watchers: ['dee', 'ada'] },
      },
    ]);
  });

  it.each([
    ['an assignee', { assignee: 'nobody' }],
    ['a watcher', { watchers: ['ada', 'nobody'] }],
  ])('that creates with %s who is not a member is refused with 400 and the name', (_, part) => {
    expect(() => create({ ...objectiveIn('active'), ...part }, around)).toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringContaining('nobody') }),
    );
  });

  it('that unblocks or completes clears blockReason; canceling keeps it', () => {
    expect(change('blocked', 'unblock').objective.blockReason).toBeNull();
    expect(change('blocked', 'complete', 'assignee').objective).toMatchObject({
      blockReason: null,
      result: 'painted',
      completedAt: 5,
    });
    expect(change('blocked', 'cancel', 'originator').objective).toMatchObject({
      blockReason: 'waiting',
      completedAt: null,
    });
  });

  it('that reassigns keeps status and reason, and the new assignee leaves the watchers', () => {
    const { objective, events } = change('blocked', 'reassign');
    expect(objective).toMatchObject({
      status: 'blocked',
      blockReason: 'waiting',
      assignee: 'dee',
      watchers: [],
    });
    expect(events).toEqual([
      { kind: 'reassigned', payload: { from: 'ben', to: 'dee', note: null } },
      { kind: 'watcher_removed', payload: { name: 'dee' } },
    ]);
  });

  it.each<[string, Move, string]>([
    ['reassigning to the same member', { kind: 'reassign', to: 'ben', note: null }, 'ben'],
    ['reassigning to nobody known', { kind: 'reassign', to: 'nobody', note: null }, 'nobody'],
    ['adding a watcher who is no member', { kind: 'watchers', add: ['nobody'], remove: [] }, 'nobody'],
    ['removing one who is neither', { kind: 'watchers', add: [], remove: ['nobody'] }, 'nobody'],
    ['adding and removing the same', { kind: 'watchers', add: ['fay'], remove: ['fay'] }, 'fay'],
    ['blocking without a reason', { kind: 'update', status: 'blocked', blockReason: null }, 'blockReason'],
  ])('%s is 400 and named', (_, move, named) => {
    const mover: Mover = { name: 'ada', permissions: [...leaves] };
    expect(() => decide(objectiveIn('active'), move, mover, around)).toThrow(
      expect.objectContaining({ code: 'bad_request', message: expect.stringContaining(named) }),
    );
  });

  it('is refused in this order: by the right, by the state, by the content', () => {
    const bad: Move = { kind: 'reassign', to: 'nobody', note: null };
    expect(outcome(objectiveIn('done'), bad, personas.outsider!)).toBe('forbidden');
    expect(outcome(objectiveIn('done'), bad, personas.manager!)).toBe('gone');
    expect(outcome(objectiveIn('active'), bad, personas.manager!)).toBe('bad_request');
  });

  it('that changes nothing has no event: the same reason, an existing watcher, the assignee, a member who does not watch', () => {
    const same: Move[] = [
      { kind: 'update', status: 'blocked', blockReason: 'waiting' },
      { kind: 'update', status: null, blockReason: 'waiting' },
      { kind: 'watchers', add: ['dee', 'ben'], remove: ['ada'] },
    ];
    const mover: Mover = { name: 'ben', permissions: [...leaves] };
    for (const move of same) expect(outcome(objectiveIn('blocked'), move, mover)).toBe('same');
  });

  it('removes a former member from the watchers', () => {
    const objective = { ...objectiveIn('active'), watchers: ['nobody'] };
    const move: Move = { kind: 'watchers', add: [], remove: ['nobody'] };
    expect(outcome(objective, move, personas.originator!)).toBe('active');
  });
});

describe('a removed member', () => {
  const reason = 'ben was removed from the team';
  it.each(['active', 'blocked'] as const)(
    'leaves its %s objective blocked with a reason naming that',
    (status) => {
      const released = release(objectiveIn(status), 'ben', 5);
      expect(released.objective).toMatchObject({ status: 'blocked', blockReason: reason, assignee: 'ben' });
      expect(released.events).toEqual([{ kind: 'blocked', payload: { reason } }]);
      expect(release(released.objective, 'ben', 6).events).toEqual([]);
    },
  );

  it.each(['done', 'cancelled'] as const)('changes nothing about its objective that is %s', (status) => {
    expect(release(objectiveIn(status), 'ben', 5).events).toEqual([]);
  });

  it('leaves the watchers', () => {
    expect(release(objectiveIn('active'), 'dee', 5)).toMatchObject({
      objective: { watchers: [], status: 'active' },
      events: [{ kind: 'watcher_removed', payload: { name: 'dee' } }],
    });
  });
});

const name = fc.constantFrom('ada', 'ben', 'cy', 'dee', 'fay', 'nobody');
const reason = fc.constantFrom('a', 'b');
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('update' as const),
    status: fc.constantFrom('active' as const, 'blocked' as const, null),
    blockReason: fc.option(reason),
  }),
  fc.record({ kind: fc.constant('complete' as const), result: reason }),
  fc.record({ kind: fc.constant('cancel' as const), reason: fc.option(reason) }),
  fc.record({ kind: fc.constant('reassign' as const), to: name, note: fc.option(reason) }),
  fc.record({ kind: fc.constant('watchers' as const), add: fc.array(name), remove: fc.array(name) }),
);
const mover: fc.Arbitrary<Mover> = fc.record({ name, permissions: fc.subarray<Leaf>([...leaves]) });

/** Returns what the audit log alone says about the objective. */
function replay(events: readonly ObjectiveEventBody[]): Partial<Objective> {
  let state: Partial<Objective> = {};
  const without = (gone: string) => (state.watchers ?? []).filter((watcher) => watcher !== gone);
  for (const { kind, payload } of events) {
    if (kind === 'assigned') {
      const { assignee, watchers } = payload;
      state = { status: 'active', assignee, watchers, blockReason: null, result: null };
    } else if (kind === 'blocked') state = { ...state, status: 'blocked', blockReason: payload.reason };
    else if (kind === 'unblocked') state = { ...state, status: 'active', blockReason: null };
    else if (kind === 'completed')
      state = { ...state, status: 'done', blockReason: null, result: payload.result };
    else if (kind === 'cancelled') state = { ...state, status: 'cancelled' };
    else if (kind === 'reassigned') state = { ...state, assignee: payload.to };
    else if (kind === 'watcher_added')
      state = { ...state, watchers: [...(state.watchers ?? []), payload.name] };
    else state = { ...state, watchers: without(payload.name) };
  }
  return state;
}

describe('any sequence of moves', () => {
  const steps = fc.array(fc.tuple(move, mover), { maxLength: 30 });

  it('reaches legal states only, a terminal one does not change, and replaying the audit log gives the state', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        let { objective, events: log } = create({ ...objectiveIn('active') }, around);
        for (const [next, who] of sequence) {
          const before = objective;
          let changed: Change;
          try {
            changed = decide(objective, next, who, around);
          } catch (error) {
            expect(error).toBeInstanceOf(BrokerError);
            continue;
          }
          ({ objective } = changed);
          log = [...log, ...changed.events];
          expect(before.status === 'done' || before.status === 'cancelled').toBe(false);
          if (changed.events.length === 0) expect(objective).toEqual(before);
        }
        const { status, assignee, watchers, blockReason, result, completedAt } = objective;
        expect(replay(log)).toEqual({ status, assignee, watchers, blockReason, result });
        if (status === 'blocked') expect(blockReason).not.toBeNull();
        if (status === 'active' || status === 'done') expect(blockReason).toBeNull();
        expect(result !== null).toBe(status === 'done');
        expect(completedAt !== null).toBe(status === 'done');
        expect(watchers).not.toContain(assignee);
        expect(new Set(watchers).size).toBe(watchers.length);
        expect([assignee, ...watchers]).not.toContain('nobody');
      }),
    );
  });

  it('allows less, never more, with fewer permissions', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...statuses),
        move,
        mover,
        fc.subarray<Leaf>([...leaves]),
        (status, next, who, kept) => {
          const fewer = { ...who, permissions: who.permissions.filter((leaf) => kept.includes(leaf)) };
          const all = outcome(objectiveIn(status), next, who);
          const less = outcome(objectiveIn(status), next, fewer);
          expect([all, 'forbidden']).toContain(less);
        },
      ),
    );
  });
});
