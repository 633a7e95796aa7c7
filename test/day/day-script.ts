/** The events of the day, their order, and their actors: chosen by the seed and by the present state. */
import type { SeededRandom } from '../crash/seeded-random.ts';
import { actors, type Day, isManager, type Level, managers, type Objective, threadOf } from './day-state.ts';
import type { Step } from './day-step.ts';
import { sharedFiles } from './file-model.ts';
import { recipients } from './reading-model.ts';

export const team = new Map<string, Level>([
  ['ada', 'admin'],
  ['bo', 'admin'],
  ['cy', 'operator'],
  ['di', 'operator'],
  ...['ed', 'flo', 'gus', 'hal', 'ivy', 'jo', 'kay', 'lou'].map((name): [string, Level] => [name, 'none']),
]);
/** These members stay, and stay managers. */
const settled = ['ada', 'bo'];
const newcomers = ['mia', 'ned', 'oz', 'pam'];
export const words = ['anchor', 'barley', 'copper', 'drizzle', 'ember', 'fjord', 'granite', 'harbour'];

const counts = {
  broadcast: 50,
  direct: 70,
  channelPost: 130,
  createChannel: 12,
  join: 70,
  leave: 40,
  rename: 12,
  archive: 3,
  create: 40,
  block: 30,
  unblock: 22,
  complete: 14,
  cancel: 8,
  reassign: 22,
  watch: 40,
  discuss: 80,
  write: 200,
  move: 25,
  remove: 25,
  addMember: newcomers.length,
  setLevel: 5,
  removeMember: 4,
  read: 60,
  evidence: 25,
  goOffline: 40,
  comeBack: 45,
};
type Kind = keyof typeof counts;

/** The order of the day. A channel and some objectives come first, so that there is something to act on. */
export function planDay(random: SeededRandom): Kind[] {
  const kinds = (Object.keys(counts) as Kind[]).flatMap((kind) => Array<Kind>(counts[kind]).fill(kind));
  for (let at = kinds.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [kinds[at], kinds[other]] = [kinds[other] as Kind, kinds[at] as Kind];
  }
  return ['createChannel', 'create', 'write', ...kinds];
}

/** Most steps are allowed; the others must be refused. Returns null if there is nothing to act on. */
export function nextStep(day: Day, kind: Kind, random: SeededRandom, number: number): Step | null {
  const anyone = (): string => random.pick(actors(day));
  const isProper = random.chance(0.85);
  const oneOf = <T>(proper: readonly T[], all: readonly T[]): T | null => {
    const from = isProper && proper.length > 0 ? proper : all;
    return from.length === 0 ? null : random.pick(from);
  };
  const several = (most: number): string[] => Array.from({ length: random.below(most + 1) }, anyone);
  const channels = [...day.channels.values()];
  const open = channels.filter(({ isArchived }) => !isArchived);
  const objectives = [...day.objectives.values()];
  const ongoing = objectives.filter(({ status }) => status === 'active' || status === 'blocked');
  const files = [...day.files].flatMap(([path, { body }]) => (body === null ? [] : [path]));
  const label = `m${number}`;

  /** Files that the member may pass on, or sometimes any file. */
  function attachments(by: string): string[] {
    if (random.chance(0.6)) return [];
    const own = files.filter((path) => path.startsWith(`/${by}/`));
    const path = oneOf([...own, ...sharedFiles(day, by)], [...files, `/${by}/none.txt`, `/${by}`]);
    return path === null ? [] : [path];
  }
  const text = () => ({
    label,
    words: [random.pick(words)],
    mentions: random.chance(0.25) ? [anyone()] : [],
  });
  const memberOf = (channel: (typeof channels)[number]): string | null =>
    oneOf(
      channel.members.map(({ name }) => name),
      actors(day),
    );
  const adminOf = (channel: (typeof channels)[number]): string | null =>
    oneOf(
      [...channel.members.filter(({ role }) => role === 'admin').map(({ name }) => name), ...managers(day)],
      actors(day),
    );
  const director = (): string => oneOf(managers(day), actors(day)) ?? 'ada';
  const operator = (objective?: Objective): string =>
    oneOf(
      actors(day).filter((name) => day.members.get(name) !== 'none' || objective?.originator === name),
      actors(day),
    ) ?? 'ada';
  const assignee = ({ assignee: name }: Objective): string =>
    oneOf(
      actors(day).filter((one) => one === name || isManager(day, one)),
      actors(day),
    ) ?? 'ada';

  switch (kind) {
    case 'broadcast': {
      const by = anyone();
      return { kind: 'push', by, to: null, channel: null, ...text(), attachments: attachments(by) };
    }
    case 'direct': {
      const by = anyone();
      const to = oneOf(actors(day), [...team.keys(), ...newcomers]) ?? by;
      return { kind: 'push', by, to, channel: null, ...text(), attachments: attachments(by) };
    }
    case 'channelPost': {
      const channel = oneOf(open, channels);
      const by = channel && memberOf(channel);
      if (channel === null || by === null) return null;
      return { kind: 'push', by, to: null, channel: channel.key, ...text(), attachments: attachments(by) };
    }
    case 'createChannel': {
      const slug = oneOf([`c${number}`], [...channels.map((one) => one.slug), 'general']) ?? 'general';
      return { kind: 'createChannel', by: anyone(), key: `c${number}`, slug };
    }
    case 'join': {
      const channel = oneOf(open, channels);
      if (channel === null) return null;
      const member = anyone();
      const by = oneOf([member, adminOf(channel) ?? member], actors(day)) ?? member;
      return {
        kind: 'join',
        by,
        channel: channel.key,
        member,
        role: random.pick([null, null, 'member', 'admin']),
      };
    }
    case 'leave': {
      const channel = oneOf(channels, channels);
      const member = channel && memberOf(channel);
      if (channel === null || member === null) return null;
      const by = oneOf([member, member, adminOf(channel) ?? member], actors(day)) ?? member;
      return { kind: 'leave', by, channel: channel.key, member };
    }
    case 'rename': {
      const channel = oneOf(open, channels);
      const by = channel && adminOf(channel);
      if (channel === null || by === null) return null;
      const slug =
        oneOf(
          [`r${number}`],
          channels.map((one) => one.slug),
        ) ?? `r${number}`;
      return { kind: 'rename', by, channel: channel.key, slug };
    }
    case 'archive': {
      const channel = oneOf(open, channels);
      const by = channel && adminOf(channel);
      return channel === null || by === null ? null : { kind: 'archive', by, channel: channel.key };
    }
    case 'create': {
      const by = operator();
      const word = random.pick(words);
      const to = oneOf(actors(day), ['nobody']) ?? by;
      const key = `${word}-o${number}`;
      return {
        kind: 'create',
        by,
        key,
        word,
        assignee: to,
        watchers: several(3),
        attachments: attachments(by),
      };
    }
    case 'block': {
      const objective = oneOf(ongoing, objectives);
      if (objective === null) return null;
      const reason = `waiting for part ${random.below(3)}`;
      return { kind: 'block', by: assignee(objective), objective: objective.key, reason };
    }
    case 'unblock': {
      const objective = oneOf(
        ongoing.filter(({ status }) => status === 'blocked'),
        objectives,
      );
      return objective && { kind: 'unblock', by: assignee(objective), objective: objective.key };
    }
    case 'complete': {
      const objective = oneOf(ongoing, objectives);
      const by = objective && (isProper ? objective.assignee : anyone());
      if (objective === null || by === null || !day.members.has(by)) return null;
      return { kind: 'complete', by, objective: objective.key, result: `result ${number}` };
    }
    case 'cancel': {
      const objective = oneOf(ongoing, objectives);
      return (
        objective && {
          kind: 'cancel',
          by: operator(objective),
          objective: objective.key,
          reason: 'not needed',
        }
      );
    }
    case 'reassign': {
      const objective = oneOf(ongoing, objectives);
      return (
        objective && {
          kind: 'reassign',
          by: director(),
          objective: objective.key,
          to: anyone(),
          note: `note ${number}`,
        }
      );
    }
    case 'watch': {
      const objective = oneOf(ongoing, objectives);
      if (objective === null) return null;
      const add = several(2);
      const leaving =
        objective.watchers.length > 0 && random.chance(0.5) ? [random.pick(objective.watchers)] : [];
      const remove = leaving.filter((name) => !add.includes(name));
      return { kind: 'watch', by: operator(objective), objective: objective.key, add, remove };
    }
    case 'discuss': {
      const objective = oneOf(objectives, objectives);
      if (objective === null) return null;
      const by = oneOf(threadOf(day, objective), actors(day)) ?? 'ada';
      return { kind: 'discuss', by, objective: objective.key, ...text(), attachments: attachments(by) };
    }
    case 'write': {
      const by = anyone();
      const own = files.filter((path) => path.startsWith(`/${by}/`));
      const folder = random.pick(['', 'notes/', 'deep/er/']);
      const path = random.chance(0.7) ? `/${by}/${folder}f${number}.txt` : oneOf(own, files);
      const collide = random.pick(['error', 'overwrite', 'suffix'] as const);
      // Sometimes the same content as another file.
      const body = random.chance(0.2) ? 'the same everywhere' : `content ${number}`;
      return path === null ? null : { kind: 'write', by, path, collide, body };
    }
    case 'move': {
      const by = anyone();
      const from = oneOf(
        files.filter((path) => path.startsWith(`/${by}/`)),
        files,
      );
      return from === null ? null : { kind: 'move', by, from, to: `/${by}/moved-${number}.txt` };
    }
    case 'remove': {
      const by = anyone();
      const mine = [...day.files.keys()].filter((path) => path.startsWith(`/${by}/`));
      const path = oneOf(mine, [...files, `/${by}`]);
      return path === null ? null : { kind: 'remove', by, path, recursive: random.chance(0.3) };
    }
    case 'addMember': {
      const name = newcomers.find((one) => !day.joined.has(one));
      if (name === undefined) return null;
      return {
        kind: 'addMember',
        by: 'ada',
        name,
        level: random.pick(['none', 'operator']),
        isEnrolled: random.chance(0.5),
      };
    }
    case 'setLevel':
    case 'removeMember': {
      const name = random.pick(actors(day).filter((one) => !settled.includes(one)));
      if (kind === 'removeMember') return { kind, by: director(), name };
      return { kind, by: director(), name, level: random.pick(['none', 'operator', 'admin']) };
    }
    case 'read': {
      const by = anyone();
      const mine = day.posts.filter(({ audience }) => audience.includes(by));
      const post = oneOf(mine, day.posts);
      return post && { kind: 'read', by, scope: post.scope, upTo: post.label };
    }
    case 'evidence': {
      const by = anyone();
      const mine = day.posts.filter((one) => recipients(day, one).includes(by));
      const post = oneOf(mine, day.posts);
      return post && { kind: 'evidence', by, label: post.label };
    }
    case 'goOffline': {
      const live = actors(day).filter((name) => day.readers.get(name)?.isLive && !settled.includes(name));
      return live.length === 0 ? null : { kind: 'goOffline', by: random.pick(live) };
    }
    case 'comeBack': {
      const away = actors(day).filter((name) => !day.readers.get(name)?.isLive);
      return away.length === 0 ? null : { kind: 'comeBack', by: random.pick(away), label };
    }
  }
}
