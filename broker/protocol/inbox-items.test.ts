import { describe, expect, it } from 'vitest';
import type { AttentionMark } from '#protocol/attention.ts';
import type { Objective } from '#protocol/objective.ts';
import type { Presence } from '#protocol/presence.ts';
import { type InboxSources, inboxItems } from './inbox-items.ts';

const now = Date.UTC(2026, 10, 24, 12);
const nothing: InboxSources = {
  self: 'ada',
  critical: [],
  addressed: [],
  unread: [],
  hasMoreUnread: false,
  muted: new Set(),
  presences: [],
  lastActivityOf: () => now,
  enrollments: [],
  held: [],
  blocked: [],
  results: [],
  lowDisks: [],
  clock: undefined,
  damagedStores: [],
  mayManage: true,
  now,
};
const shown = (sources: Partial<InboxSources>, marks: AttentionMark[] = []) =>
  inboxItems({ ...nothing, ...sources }, marks);
const titles = (sources: Partial<InboxSources>) => shown(sources).map(({ title }) => title);

const scope = (name: string, count: number, mentions = 0, lastReadId: string | null = null) => ({
  scope: name,
  count,
  mentions,
  lastReadId,
});
const message = (id: string, name: string, from = 'ben') => ({
  id,
  ts: now - 1000,
  from,
  scope: name,
  excerpt: `text of ${id}`,
});
const objective = (part: object) =>
  ({
    id: 'obj-1',
    title: 'Draw the coast',
    assignee: 'ben',
    originator: 'ada',
    blockReason: null,
    result: null,
    updatedAt: now - 5000,
    completedAt: null,
    ...part,
  }) as Objective;

it('nothing needs a member without anything to do', () => {
  expect(shown({})).toEqual([]);
});

describe('messages', () => {
  it('to the member need it, with the newest one; others do not', () => {
    const unread = [scope('dm:ben', 3), scope('general', 9, 2), scope('chan:c1', 7)];
    const addressed = [message('m3', 'dm:ben'), message('m2', 'general')];
    expect(shown({ unread, addressed })).toMatchObject([
      {
        kind: 'mention',
        title: '2 mentions in',
        scope: 'general',
        detail: 'ben: text of m2',
        place: { kind: 'conversation', scope: 'general', message: 'm2' },
      },
      { kind: 'direct', title: '3 direct messages from ben', detail: 'text of m3' },
    ]);
  });

  it('of a muted conversation need it only if they mention the member or are critical', () => {
    const muted = new Set(['dm:ben', 'dm:cy', 'general']);
    const mentioning = { ...message('m3', 'dm:ben'), excerpt: 'Where are you, @ada?' };
    const unread = [scope('dm:ben', 3, 1), scope('dm:cy', 2), scope('general', 5, 1)];
    const addressed = [mentioning, message('m4', 'dm:cy', 'cy'), message('m5', 'general')];
    const critical = [message('m6', 'dm:cy', 'cy')];
    expect(shown({ unread, addressed, critical, muted })).toMatchObject([
      { kind: 'critical', scope: 'dm:cy' },
      { kind: 'mention', title: '1 mention from ben', scope: null, detail: 'Where are you, @ada?' },
      { kind: 'mention', title: '1 mention in', scope: 'general' },
    ]);
    expect(
      shown({ unread, addressed: [message('m7', 'dm:ben')], muted: new Set(['dm:ben']) }),
    ).toContainEqual(expect.objectContaining({ title: '1 mention from ben', detail: '', at: null }));
  });

  it('that mention the member late are shown from shortly before that on', () => {
    const about = 'The survey of the northern harbor is finished, all depths are on the chart';
    const unread = [scope('general', 1, 1)];
    const detailOf = (excerpt: string) =>
      shown({ unread, addressed: [{ ...message('m1', 'general'), excerpt }] })[0]?.detail;
    expect(detailOf(`${about}, and @Ada must sign it`)).toBe(
      'ben: … are on the chart, and @Ada must sign it',
    );
    expect(detailOf('@ada must sign the chart')).toBe('ben: @ada must sign the chart');
    expect(detailOf(`${'x'.repeat(60)}, @ada`)).toBe(`ben: ${'x'.repeat(60)}, @ada`);
    expect(detailOf(about)).toBe(`ben: ${about}`);
    expect(detailOf(`@adam: ${about}, and @ada must sign it`)).toBe(
      'ben: … are on the chart, and @ada must sign it',
    );
  });

  it('that are critical come first, and are not counted again as direct messages', () => {
    const critical = [message('m9', 'dm:ben')];
    expect(titles({ critical, unread: [scope('dm:ben', 1)] })).toEqual(['Critical message from ben in']);
    expect(titles({ critical, unread: [scope('dm:ben', 2), scope('dm:cy', 1)] })).toEqual([
      'Critical message from ben in',
      '1 direct message from ben',
      '1 direct message from cy',
    ]);
  });

  it('that were dealt with need the member again when there is a new one', () => {
    const unread = [scope('dm:ben', 1)];
    const [item] = shown({ unread });
    const mark = { item: item?.key ?? '', at: now, until: null };
    expect(shown({ unread }, [mark])).toEqual([]);
    expect(shown({ unread: [scope('dm:ben', 2)] }, [mark])).toHaveLength(1);
    expect(shown({ unread: [scope('dm:ben', 1, 0, 'm1')] }, [mark])).toHaveLength(1);
  });
});

describe('what is put off', () => {
  it('needs the member again when its time has come', () => {
    const unread = [scope('dm:ben', 1)];
    const mark = { item: shown({ unread })[0]?.key ?? '', at: now, until: now + 1 };
    expect(shown({ unread }, [mark])).toEqual([]);
    expect(shown({ unread, now: now + 1 }, [mark])).toHaveLength(1);
  });
});

describe('agents', () => {
  const presence = (part: object) =>
    ({ name: 'rex', connected: 1, lastSeen: now - 60_000, busy: true, ...part }) as Presence;
  const run = { host: 'mill', agent: 'claude', since: 5, isResponding: false };

  it('that cannot work need those who look after them', () => {
    const presences = [
      presence({ model: { cause: 'login', since: now } }),
      presence({ name: 'sam', run }),
      presence({ name: 'tim', run: { ...run, isResponding: true, reach: 'nothing' } }),
      presence({ name: 'tom' }),
    ];
    expect(shown({ presences })).toMatchObject([
      { kind: 'agent', title: 'rex cannot work', key: `refused rex ${now}` },
      { kind: 'agent', title: 'sam cannot work', key: `silent sam 5 ${now - 60_000}` },
      { kind: 'agent', title: 'tim cannot work', key: 'unreached tim 5', at: 5 },
    ]);
    expect(shown({ presences, mayManage: false })).toEqual([]);
  });
});

describe('an agent that works', () => {
  const minute = 60_000;
  const working = (since: number) =>
    [
      { name: 'rex', connected: 1, lastSeen: now, busy: true, run: { host: 'mill', agent: 'claude', since } },
    ] as Presence[];

  it('may be stuck after half an hour without its model, counted from its last exchange or its start', () => {
    const itemsAfter = (ran: number, rested: number) =>
      shown({ presences: working(now - ran * minute), lastActivityOf: () => now - rested * minute });
    expect(itemsAfter(60, 30)).toMatchObject([
      {
        kind: 'agent',
        title: 'rex may be stuck',
        at: now - 30 * minute,
        place: { kind: 'member', name: 'rex' },
      },
    ]);
    expect(itemsAfter(60, 29)).toEqual([]);
    expect(itemsAfter(29, 300)).toEqual([]);
  });

  it('is not stuck while it rests, and without a run', () => {
    const [rex] = working(0);
    const lastActivityOf = () => 0;
    expect(shown({ presences: [{ ...rex, busy: false } as Presence], lastActivityOf })).toEqual([]);
    expect(shown({ presences: [{ ...rex, run: undefined } as Presence], lastActivityOf })).toEqual([]);
  });
});

describe('objectives', () => {
  it('that are blocked need the one who asked for them, and whoever the reason mentions', () => {
    const other = objective({ originator: 'ben', assignee: 'cy' });
    expect(titles({ blocked: [objective({ blockReason: 'no map' })] })).toEqual(['Blocked: Draw the coast']);
    expect(titles({ blocked: [other] })).toEqual([]);
    expect(titles({ blocked: [{ ...other, blockReason: 'waiting for @ada' }] })).toHaveLength(1);
  });

  it('that are done need the one who asked for them', () => {
    const { id, title, assignee } = objective({});
    const done = { id, title, assignee, completedAt: now - 1000, result: 'merged' };
    expect(shown({ results: [done] })).toMatchObject([{ kind: 'result', detail: 'ben: merged' }]);
  });
});

describe('faults of the machine', () => {
  const lowDisks = [{ store: 'main' as const, freeBytes: 200 * 2 ** 20, floorBytes: 128 * 2 ** 20 }];
  const clock = { messagesAheadMs: 120_000, jumpedMs: 0 };
  const damagedStores = [{ store: 'activity' as const, cause: 'file is not a database' }];

  it('come first, before the critical messages', () => {
    const critical = [message('m9', 'dm:ben'), { ...message('m8', 'dm:cy', 'cy'), ts: now }];
    expect(titles({ lowDisks, clock, damagedStores, critical, unread: [scope('dm:ben', 2)] })).toEqual([
      'The activity store is damaged or cannot be used',
      'The disk of the main store is nearly full',
      'The clock is or was wrong',
      'Critical message from cy in',
      'Critical message from ben in',
      '1 direct message from ben',
    ]);
  });

  it('say how little of a disk is free', () => {
    expect(shown({ lowDisks })[0]).toMatchObject({
      title: 'The disk of the main store is nearly full',
      detail: '200 MiB are free.',
    });
  });

  it('say how to learn more about the clock', () => {
    expect(shown({ clock })[0]).toMatchObject({
      title: 'The clock is or was wrong',
      detail: '"muster doctor" says more.',
    });
  });

  it('say which store is damaged, and which command repairs it', () => {
    expect(shown({ damagedStores })[0]).toMatchObject({
      title: 'The activity store is damaged or cannot be used',
      detail: 'Stop the broker and run "muster repair". file is not a database',
    });
  });
});

it('a mark of a deleted mention does not hide the next one', () => {
  const unread = [scope('general', 1, 1)];
  const keyOf = (id: string) => shown({ unread, addressed: [message(id, 'general')] })[0]?.key ?? '';
  const marks = [{ item: keyOf('m1'), at: now, until: null }];
  expect(shown({ unread, addressed: [message('m1', 'general')] }, marks)).toEqual([]);
  expect(shown({ unread, addressed: [message('m2', 'general')] }, marks)).toHaveLength(1);
});

it('a mark of a full disk ends when half of what was free is gone', () => {
  const disk = (mebibytes: number) => [
    { store: 'main' as const, freeBytes: mebibytes * 2 ** 20, floorBytes: 128 * 2 ** 20 },
  ];
  const [first] = shown({ lowDisks: disk(200) });
  const marks = [{ item: first?.key ?? '', at: now, until: null }];
  expect(shown({ lowDisks: disk(190) }, marks)).toEqual([]);
  expect(shown({ lowDisks: disk(90) }, marks)).toHaveLength(1);
});

it('says when it does not list everything', () => {
  expect(titles({ hasMoreUnread: true })).toEqual(['Further unread conversations are not listed here']);
});

it('lists held posts in the order in which they are decided', () => {
  const post = (id: string, at: number) =>
    ({ id, at, from: 'rex', scope: 'general', excerpt: id }) as InboxSources['held'][number];
  const held = [post('second', now - 1), post('first', now - 2)];
  expect(shown({ held }).map(({ detail }) => detail)).toEqual(['first', 'second']);
});
