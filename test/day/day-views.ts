/** The views of members, and what the model says that they must see there. */

import { createChannelViews } from './channel-views.ts';
import { createConversationViews } from './conversation-views.ts';
import type { Answer, DayBroker } from './day-broker.ts';
import { words } from './day-script.ts';
import { actors, type Day, distinct, names, threadOf } from './day-state.ts';
import type { Step } from './day-step.ts';
import type { FileStep } from './file-model.ts';
import { createFileViews } from './file-views.ts';
import { createObjectiveViews } from './objective-views.ts';
import { directScope, type PeopleStep } from './people-model.ts';
import { placeOf, type ReadingStep } from './reading-model.ts';
import { createReadingViews } from './reading-views.ts';
import type { View } from './view.ts';
import { createWorkViews } from './work-views.ts';

export type { View } from './view.ts';

export function createViews(day: Day, broker: DayBroker) {
  const groups = createGroups(day, broker);
  const { streams, historyOf, fileOf } = groups;
  return {
    everything: (every = 1): View[] => everything(groups, every),
    touchedBy: (step: Step): View[] => touchedBy(groups, step),
    streams,
    historyOf,
    fileOf,
  };
}

type Groups = ReturnType<typeof createGroups>;

function createGroups(day: Day, broker: DayBroker) {
  const everyone = names(day);
  const readers = actors(day);
  const get = (by: string, path: string): Promise<Answer> => broker.request(by, 'GET', path);
  const context = { day, broker, everyone, get };
  const conversations = createConversationViews(context);

  const streams = (): View[] => readers.filter((name) => day.readers.has(name)).map(conversations.streamOf);
  const forEveryone = (view: (name: string) => View): View[] => readers.map(view);

  function scopes(): string[] {
    const channels = [...day.channels.keys()].map((key) => `chan:${key}`);
    return ['general', ...channels, ...[...day.objectives.keys()].map((key) => `obj:${key}`)];
  }

  return {
    day,
    everyone,
    readers,
    streams,
    forEveryone,
    scopes,
    ...conversations,
    ...createReadingViews(context),
    ...createObjectiveViews(context),
    ...createWorkViews(context),
    ...createChannelViews(context),
    ...createFileViews(context),
  };
}

/**
 * Everything that there is to see, for everybody; of large collections, only one in `every`. Histories come
 * first, because they tell the ids of messages.
 */
function everything(groups: Groups, every: number): View[] {
  const { day, everyone, readers, streams, forEveryone, scopes } = groups;
  const { historyOf, searchOf, unreadOf, waitingFor, receiptsOf, objectiveOf, objectivesOf } = groups;
  const { briefingOf, activityOf, channelsOf, channelOf, fileOf, listOf, sharedWith } = groups;
  const allPaths = [...day.files.keys()].filter((path) => path !== '/');
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
    ...some(allPaths).flatMap((path) => forEveryone((name) => fileOf(name, path))),
    ...['/', ...some(allPaths.filter((path) => day.files.get(path)?.body === null))].flatMap((path) =>
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

function conversation(groups: Groups, scope: string, attachments: readonly string[]): View[] {
  const { forEveryone, historyOf, unreadOf, fileOf, sharedWith } = groups;
  return [
    ...forEveryone((name) => historyOf(name, scope)),
    ...forEveryone(unreadOf),
    ...attachments.flatMap((path) => forEveryone((name) => fileOf(name, path))),
    ...(attachments.length > 0 ? forEveryone(sharedWith) : []),
  ];
}

function thread(groups: Groups, key: string, isMoved: boolean): View[] {
  const { day, objectiveOf, objectivesOf, briefingOf, waitingFor, activityOf } = groups;
  const one = day.objectives.get(key);
  const concerned = one === undefined ? [] : distinct([...threadOf(day, one), 'ada']);
  return [
    ...(one === undefined ? [objectivesOf('ada', {})] : [objectiveOf('ada', key)]),
    ...conversation(groups, `obj:${key}`, one?.attachments ?? []),
    ...(isMoved
      ? concerned.flatMap((name) => [briefingOf(name), waitingFor(name), activityOf(name, name)])
      : []),
  ];
}

/** Returns the views that a step may have changed, and streams, which it must not have disturbed. */
function touchedBy(groups: Groups, step: Step): View[] {
  const { streams, historyOf } = groups;
  switch (step.kind) {
    case 'push':
      return touchedByPush(groups, step);
    case 'createChannel':
      return touchedInChannel(groups, step.key);
    case 'join':
    case 'leave':
    case 'rename':
    case 'archive':
      return touchedInChannel(groups, step.channel);
    case 'write':
    case 'move':
    case 'remove':
      return touchedByFileStep(groups, step);
    case 'read':
    case 'evidence':
      return touchedByReadingStep(groups, step);
    case 'comeBack':
      return [historyOf(step.by, directScope(step.by, step.by)), ...streams()];
    case 'goOffline':
      return [];
    case 'create':
      return [...thread(groups, step.key, true), ...streams()];
    case 'discuss':
      return [...thread(groups, step.objective, false), ...streams()];
    case 'addMember':
    case 'setLevel':
    case 'removeMember':
      return touchedByMemberStep(groups);
    default:
      return [...thread(groups, step.objective, true), ...streams()];
  }
}

function touchedByPush(groups: Groups, step: PeopleStep & { kind: 'push' }): View[] {
  const { day, streams, forEveryone, historyOf, unreadOf, waitingFor, fileOf } = groups;
  const direct = step.to === null ? 'general' : directScope(step.by, step.to);
  const scope = step.channel === null ? direct : `chan:${step.channel}`;
  // With the two sides only: nobody can query a conversation of others.
  if (step.to === null) return [...conversation(groups, scope, step.attachments), ...streams()];
  const sides = distinct([step.by, step.to]).filter((name) => day.members.has(name));
  return [
    ...sides.flatMap((name) => [historyOf(name, scope), unreadOf(name), waitingFor(name)]),
    ...step.attachments.flatMap((path) => forEveryone((name) => fileOf(name, path))),
    ...streams(),
  ];
}

function touchedInChannel(groups: Groups, key: string): View[] {
  const { day, streams, forEveryone, historyOf, unreadOf, channelsOf, channelOf, sharedWith } = groups;
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

function touchedByFileStep({ day, forEveryone, fileOf, listOf, sharedWith }: Groups, step: FileStep): View[] {
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

function touchedByReadingStep({ day, unreadOf, waitingFor, receiptsOf }: Groups, step: ReadingStep): View[] {
  const label = step.kind === 'read' ? step.upTo : step.label;
  const from = day.posts[placeOf(day, label)]?.from ?? 'ada';
  const reader = day.members.has(from) ? from : 'ada';
  return [unreadOf(step.by), waitingFor(step.by), receiptsOf(reader, label)];
}

function touchedByMemberStep(groups: Groups): View[] {
  const { day, readers, streams, forEveryone, scopes } = groups;
  const { historyOf, objectiveOf, briefingOf, channelsOf, listOf, sharedWith } = groups;
  return [
    ...forEveryone(briefingOf),
    ...forEveryone(channelsOf),
    ...[...day.objectives.keys()].map((key) => objectiveOf('ada', key)),
    ...scopes().flatMap((scope) => [historyOf('ada', scope), historyOf(readers.at(-1) ?? 'ada', scope)]),
    ...forEveryone(sharedWith),
    ...forEveryone((name) => listOf(name, '/')),
    ...streams(),
  ];
}
