/** The views of members, and what the model says that they must see there. */

import type { Answer, DayBroker } from './day-broker.ts';
import type { WireMessage } from './day-reader.ts';
import { words } from './day-script.ts';
import { type AuditEvent, actors, type Channel, type Day, distinct, names, threadOf } from './day-state.ts';
import type { Step } from './day-step.ts';
import { listFiles, readFile, sharedFiles } from './file-model.ts';
import { directScope } from './people-model.ts';
import {
  history,
  mayWatchActivity,
  openObjectives,
  placeOf,
  receipts,
  search,
  unread,
  waiting,
} from './reading-model.ts';

export interface View {
  title: string;
  expected: unknown;
  actual: () => Promise<unknown>;
  /** Updated after the reply, so it is checked again for a while. */
  isLate?: boolean;
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const byMember = (a: { member: string }, b: { member: string }): number => (a.member < b.member ? -1 : 1);
const okOr = <T>({ status, body }: Answer, of: (body: Answer['body']) => T): T | number =>
  status === 200 ? of(body) : status;

export function createViews(day: Day, broker: DayBroker) {
  const everyone = names(day);
  const readers = actors(day);
  const get = (by: string, path: string): Promise<Answer> => broker.request(by, 'GET', path);

  function historyOf(name: string, scope: string): View {
    const [kind, key = ''] = scope.split(':');
    const query = {
      general: '',
      dm: `with=${broker.apiScope(name, scope).slice('dm:'.length)}`,
      chan: `channel=${broker.channelId(key)}`,
      obj: `objective=${broker.objectiveId(key)}`,
    }[kind ?? ''];
    return {
      title: `the history of ${scope} for ${name}`,
      expected: history(day, name, scope),
      async actual() {
        const all: (WireMessage & { ts: number })[] = [];
        for (;;) {
          const last = all.at(-1);
          const before = last === undefined ? '' : `&before=${last.ts}&beforeId=${last.id}`;
          const { status, body } = await get(name, `/history?limit=500&${query}${before}`);
          if (status !== 200) return status;
          all.push(...body.messages);
          if (body.messages.length < 500) return all.map(broker.labelOf);
        }
      },
    };
  }

  const streamOf = (name: string): View => ({
    title: `what the stream of ${name} received`,
    expected: [day.readers.get(name)?.received ?? [], []],
    actual: async () => [broker.reader(name).received.map(broker.labelOf), broker.reader(name).faults],
    isLate: true,
  });

  function objectiveOf(name: string, key: string): View {
    const one = day.objectives.get(key);
    const wire = ({ kind, actor, payload }: AuditEvent) => ({ kind, actor, payload });
    return {
      title: `${key} for ${name}`,
      expected: one && {
        title: key,
        status: one.status,
        assignee: one.assignee,
        originator: one.originator,
        watchers: one.watchers,
        attachments: one.attachments,
        blockReason: one.blockReason,
        result: one.result,
        isCompleted: one.status === 'done',
        events: one.events.map(wire),
      },
      actual: async () =>
        okOr(await get(name, `/objectives/${broker.objectiveId(key)}`), ({ objective, events }) => ({
          title: objective.title,
          status: objective.status,
          assignee: objective.assignee,
          originator: objective.originator,
          watchers: objective.watchers,
          attachments: objective.attachments,
          blockReason: objective.blockReason,
          result: objective.result,
          isCompleted: objective.completedAt !== null,
          events: events.map(wire),
        })),
    };
  }

  function objectivesOf(name: string, filter: { assignee?: string; status?: string }): View {
    const fits = [...day.objectives.values()].filter(
      ({ assignee, status }) =>
        (filter.assignee ?? assignee) === assignee && (filter.status ?? status) === status,
    );
    return {
      title: `/objectives ${JSON.stringify(filter)} for ${name}`,
      expected: fits.map(({ key }) => key).reverse(),
      actual: async () =>
        okOr(await get(name, `/objectives?${new URLSearchParams(filter)}`), ({ objectives }) =>
          objectives.map(({ title }: { title: string }) => title),
        ),
    };
  }

  const roleIn = ({ members }: Channel, name: string) =>
    members.find((one) => one.name === name)?.role ?? null;

  const channelsOf = (name: string): View => ({
    title: `/channels for ${name}`,
    expected: [
      { slug: 'general', isArchived: false, myRole: 'member', memberCount: everyone.length },
      ...[...day.channels.values()]
        .sort((a, b) => (a.slug < b.slug ? -1 : 1))
        .map((channel) => ({
          slug: channel.slug,
          isArchived: channel.isArchived,
          myRole: roleIn(channel, name),
          memberCount: channel.members.length,
        })),
    ],
    actual: async () =>
      okOr(await get(name, '/channels'), ({ channels }) =>
        channels.map(({ slug, archivedAt, myRole, memberCount }: Answer['body']) => ({
          slug,
          isArchived: archivedAt !== null,
          myRole,
          memberCount,
        })),
      ),
  });

  const channelOf = (name: string, channel: Channel): View => ({
    title: `#${channel.slug} for ${name}`,
    expected: ['admin', 'member'].flatMap((role) =>
      channel.members.filter((one) => one.role === role).map((one) => `${one.name} ${role}`),
    ),
    actual: async () =>
      okOr(await get(name, `/channels/${channel.slug}`), ({ members }) =>
        members.map(({ member, role }: Answer['body']) => `${member} ${role}`),
      ),
  });

  const fileOf = (name: string, path: string): View => ({
    title: `${path} for ${name}`,
    expected: readFile(day, name, path),
    async actual() {
      const { status, body } = await get(name, `/fs/read${encoded(path)}`);
      return status === 200 ? { status, body } : { status };
    },
  });

  const pathsIn = (body: Answer['body']): string[] => body.entries.map(({ path }: { path: string }) => path);
  const listOf = (name: string, path: string): View => ({
    title: `ls ${path} for ${name}`,
    expected: listFiles(day, name, path),
    actual: async () => okOr(await get(name, `/fs/ls?${new URLSearchParams({ path })}`), pathsIn),
  });
  const sharedWith = (name: string): View => ({
    title: `/fs/shared for ${name}`,
    expected: sharedFiles(day, name),
    actual: async () => okOr(await get(name, '/fs/shared'), pathsIn),
  });

  const unreadOf = (name: string): View => ({
    title: `/unread for ${name}`,
    expected: unread(day, name),
    actual: async () =>
      okOr(await get(name, '/unread'), ({ scopes }) =>
        scopes
          .map(({ scope, count, mentions, lastReadId }: Answer['body']) => ({
            scope: broker.modelScope(name, scope),
            count,
            mentions,
            lastRead: lastReadId === null ? null : broker.labelOfId(lastReadId),
          }))
          .sort((a: { scope: string }, b: { scope: string }) => (a.scope < b.scope ? -1 : 1)),
      ),
  });

  const waitingFor = (name: string): View => ({
    title: `what waits for ${name}`,
    expected: waiting(day, name),
    actual: async () =>
      okOr(await get(name, '/messages/waiting'), ({ messages, more }) => ({
        labels: messages.map(broker.labelOf),
        more,
      })),
  });

  const searchOf = (name: string, word: string): View => ({
    title: `a search of ${name} for ${word}`,
    expected: search(day, name, word),
    // A search waits for the index only briefly.
    isLate: true,
    async actual() {
      const posts: string[] = [];
      const objectives: string[] = [];
      for (let next = ''; ; ) {
        const { status, body } = await get(name, `/search?q=${word}&limit=100${next && `&before=${next}`}`);
        if (status !== 200) return status;
        for (const { kind, id } of body.results)
          kind === 'message' ? posts.push(broker.labelOfId(id)) : objectives.push(broker.objectiveKey(id));
        if (body.next === null) return { posts, objectives };
        next = body.next;
      }
    },
  });

  function receiptsOf(name: string, label: string): View {
    const post = day.posts[placeOf(day, label)];
    const isAllowed = post !== undefined && (post.from === name || day.members.get(name) === 'admin');
    const expected = post !== undefined && isAllowed ? receipts(day, post) : 403;
    return {
      title: `the receipts of ${label} for ${name}`,
      expected:
        typeof expected === 'number' ? expected : expected.map(({ member, state }) => ({ member, state })),
      async actual() {
        const { status, body } = await get(name, `/messages/${broker.messageId(label)}/receipts`);
        if (status !== 200 || typeof expected === 'number') return status;
        return body.receipts
          .map(({ member, state }: Answer['body']) => {
            const weaker = expected.find((one) => one.member === member && one.mayBeWeaker);
            return { member, state: weaker !== undefined && state === 'stored' ? weaker.state : state };
          })
          .sort(byMember);
      },
    };
  }

  const briefingOf = (name: string): View => ({
    title: `the briefing of ${name}`,
    expected: { teammates: everyone, open: openObjectives(day, name) },
    actual: async () =>
      okOr(await get(name, '/briefing'), ({ teammates, openObjectives: open }) => ({
        teammates: teammates.map((one: { name: string }) => one.name),
        open: open.map(({ title }: { title: string }) => title),
      })),
  });

  const activityOf = (reader: string, member: string): View => ({
    title: `the activity of ${member} for ${reader}`,
    expected: mayWatchActivity(day, reader, member) ? [...(day.markers.get(member) ?? [])].reverse() : 403,
    isLate: true,
    actual: async () =>
      okOr(await get(reader, `/members/${member}/activity?limit=1000`), ({ activity }) =>
        activity.map(({ event }: Answer['body']) => ({
          kind: event.kind,
          objective: broker.objectiveKey(event.objectiveId),
          result: event.result ?? null,
        })),
      ),
  });

  const streams = (): View[] => readers.filter((name) => day.readers.has(name)).map(streamOf);
  const forEveryone = (view: (name: string) => View): View[] => readers.map(view);
  const allPaths = (): string[] => [...day.files.keys()].filter((path) => path !== '/');

  function scopes(): string[] {
    const channels = [...day.channels.keys()].map((key) => `chan:${key}`);
    return ['general', ...channels, ...[...day.objectives.keys()].map((key) => `obj:${key}`)];
  }

  /**
   * Everything that there is to see, for everybody; of large collections, only one in `every`. Histories come
   * first, because they tell the ids of messages.
   */
  function everything(every = 1): View[] {
    const some = <T>(items: readonly T[]): T[] => items.filter((_, at) => (at + day.lives) % every === 0);
    return [
      ...scopes().flatMap((scope) => forEveryone((name) => historyOf(name, scope))),
      ...readers.flatMap((name) => everyone.map((other) => historyOf(name, directScope(name, other)))),
      ...streams(),
      ...some([...day.objectives.keys()]).flatMap((key) => forEveryone((name) => objectiveOf(name, key))),
      ...forEveryone((name) => objectivesOf(name, {})),
      ...readers.flatMap((name) => [
        objectivesOf(name, { assignee: name }),
        objectivesOf(name, { assignee: name, status: 'blocked' }),
        objectivesOf(name, { status: 'done' }),
      ]),
      ...forEveryone(channelsOf),
      ...[...day.channels.values()].flatMap((channel) => forEveryone((name) => channelOf(name, channel))),
      ...some(allPaths()).flatMap((path) => forEveryone((name) => fileOf(name, path))),
      ...['/', ...some(allPaths().filter((path) => day.files.get(path)?.body === null))].flatMap((path) =>
        forEveryone((name) => listOf(name, path)),
      ),
      ...forEveryone(sharedWith),
      ...forEveryone(unreadOf),
      ...forEveryone(waitingFor),
      ...words.flatMap((word) => forEveryone((name) => searchOf(name, word))),
      ...some(day.posts.filter(({ to, from }) => to !== from)).flatMap(({ label, from }) => [
        receiptsOf('ada', label),
        ...(day.members.has(from) ? [receiptsOf(from, label)] : []),
      ]),
      ...forEveryone(briefingOf),
      ...readers.flatMap((member) =>
        ['ada', 'cy', member].filter((one) => day.members.has(one)).map((one) => activityOf(one, member)),
      ),
    ];
  }

  function conversation(scope: string, attachments: readonly string[]): View[] {
    return [
      ...forEveryone((name) => historyOf(name, scope)),
      ...forEveryone(unreadOf),
      ...attachments.flatMap((path) => forEveryone((name) => fileOf(name, path))),
      ...(attachments.length > 0 ? forEveryone(sharedWith) : []),
    ];
  }

  function thread(key: string, isMoved: boolean): View[] {
    const one = day.objectives.get(key);
    const concerned = one === undefined ? [] : distinct([...threadOf(day, one), 'ada']);
    return [
      ...(one === undefined ? [objectivesOf('ada', {})] : [objectiveOf('ada', key)]),
      ...conversation(`obj:${key}`, one?.attachments ?? []),
      ...(isMoved
        ? concerned.flatMap((name) => [briefingOf(name), waitingFor(name), activityOf(name, name)])
        : []),
    ];
  }

  /** Returns the views that a step may have changed, and streams, which it must not have disturbed. */
  function touchedBy(step: Step): View[] {
    switch (step.kind) {
      case 'push': {
        const direct = step.to === null ? 'general' : directScope(step.by, step.to);
        const scope = step.channel === null ? direct : `chan:${step.channel}`;
        // With the two sides only: nobody can query a conversation of others.
        if (step.to === null) return [...conversation(scope, step.attachments), ...streams()];
        const sides = distinct([step.by, step.to]).filter((name) => day.members.has(name));
        return [
          ...sides.flatMap((name) => [historyOf(name, scope), unreadOf(name), waitingFor(name)]),
          ...step.attachments.flatMap((path) => forEveryone((name) => fileOf(name, path))),
          ...streams(),
        ];
      }
      case 'createChannel':
      case 'join':
      case 'leave':
      case 'rename':
      case 'archive': {
        const key = step.kind === 'createChannel' ? step.key : step.channel;
        const channel = day.channels.get(key);
        return [
          ...forEveryone(channelsOf),
          ...(channel === undefined
            ? []
            : [channelOf('ada', channel), ...forEveryone((name) => historyOf(name, `chan:${key}`))]),
          ...forEveryone(sharedWith),
          ...forEveryone(unreadOf),
          ...streams(),
        ];
      }
      case 'write':
      case 'move':
      case 'remove': {
        const paths = step.kind === 'move' ? [step.from, step.to] : [step.path];
        const isShared = paths.some((path) => (day.files.get(path)?.audiences.length ?? 0) > 0);
        return [
          ...paths.flatMap((path) => forEveryone((name) => fileOf(name, path))),
          ...distinct([step.by, 'ada', 'jo']).flatMap((name) =>
            day.members.has(name) ? [listOf(name, `/${step.by}`)] : [],
          ),
          ...(isShared || step.kind === 'remove' ? forEveryone(sharedWith) : []),
        ];
      }
      case 'read':
      case 'evidence': {
        const label = step.kind === 'read' ? step.upTo : step.label;
        const from = day.posts[placeOf(day, label)]?.from ?? 'ada';
        const reader = day.members.has(from) ? from : 'ada';
        return [unreadOf(step.by), waitingFor(step.by), receiptsOf(reader, label)];
      }
      case 'comeBack':
        return [historyOf(step.by, directScope(step.by, step.by)), ...streams()];
      case 'goOffline':
        return [];
      case 'create':
        return [...thread(step.key, true), ...streams()];
      case 'discuss':
        return [...thread(step.objective, false), ...streams()];
      case 'addMember':
      case 'setLevel':
      case 'removeMember':
        return [
          ...forEveryone(briefingOf),
          ...forEveryone(channelsOf),
          ...[...day.objectives.keys()].map((key) => objectiveOf('ada', key)),
          ...scopes().flatMap((scope) => [
            historyOf('ada', scope),
            historyOf(readers.at(-1) ?? 'ada', scope),
          ]),
          ...forEveryone(sharedWith),
          ...forEveryone((name) => listOf(name, '/')),
          ...streams(),
        ];
      default:
        return [...thread(step.objective, true), ...streams()];
    }
  }

  return { everything, touchedBy, streams, historyOf, fileOf };
}
