/**
 * The team in the stores that show whether cost follows history. At every size, a read that the tests and the
 * bench make has the same answer: only what lies behind it grows.
 */

import type { ChannelId, MessageId, ObjectiveId } from '#protocol/ids.ts';

/** How much there is of everything. */
export interface TeamSize {
  messages: number;
  /** Characters of each message. */
  body: number;
  members: number;
  channels: number;
  objectives: number;
  files: number;
  /** Rows in the activity store. */
  activity: number;
}

/** A manager, who is in every channel. */
export const manager = 'bench';
/** A member without permissions, who is in a tenth of the channels. */
export const member = 'other';
/** Uploads all activity. */
export const agent = 'member-2';

/** The first word is in a third of the messages, and the second one in one of a thousand. */
export const commonWord = 'status';
export const rareWord = 'xylophone';
/** Two words that are in many messages, and never next to each other. */
export const phraseWithoutMatch = [commonWord, 'report'];
export const busyChannel = channelId(0);
/** Has posts at the very beginning only. */
export const quietChannel = channelId(1);
export const directKey = `dm:${manager}:${member}`;

/** The newest objectives are open, and all others are done. */
export const openObjectives = 60;
/** Files that were sent to `member` directly. */
export const sharedFiles = 20;
/** Messages at the end that `manager` and `member` have not read, and that wait for `member`. */
export const unreadMessages = 40;
export const filesPerFolder = 100;

/** The first message's time, epoch ms, unless the caller names another. */
export const defaultStart = 1_700_000_000_000;
export const messageEveryMs = 20;

export function channelId(number: number): ChannelId {
  return `ch_${String(number).padStart(10, '0')}` as ChannelId;
}
export const objectiveId = (number: number): ObjectiveId =>
  `obj_${String(number).padStart(10, '0')}` as ObjectiveId;

/** Increases with `number`, like the broker's own ids. */
export function messageId(number: number, ts: number): MessageId {
  const time = ts.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
  return id as MessageId;
}

export const memberName = (number: number): string => [manager, member][number] ?? `member-${number}`;

export const memberNames = ({ members }: Pick<TeamSize, 'members'>): string[] =>
  Array.from({ length: members }, (_, number) => memberName(number));

/** How many are in one channel beside the manager and `member`, unless the team is smaller. */
const channelMembers = 20;

/** The members of a channel; the first one creates it. */
export function membersOfChannel(number: number, { members }: Pick<TeamSize, 'members'>): string[] {
  const others = members - 2;
  const around = Array.from({ length: Math.min(channelMembers, others) }, (_, place) =>
    memberName(2 + ((number * channelMembers + place) % others)),
  );
  return [manager, ...(isInChannel(number) ? [member] : []), ...around];
}

/** Whether `member` is in the channel: in the busy one, in the quiet one, and in a tenth of the others. */
export const isInChannel = (number: number): boolean => number % 10 === 0 || number === 1;

const words = ['build', 'green', 'review', 'deploy', 'cache', 'index', 'thread', 'owner', 'report', 'login'];

/** `length` characters, and at least about 100. */
export function bodyOf(number: number, length: number): string {
  const word = (step: number): string => words[(number * step) % words.length] ?? '';
  const marked = number % 1000 === 500 ? rareWord : number % 3 === 0 ? commonWord : word(7);
  const said = `${marked} of the ${word(1)}, then ${word(3)} number ${number} and what it means for the team`;
  return said.padEnd(length, ' x');
}

/** The sender of message `number`, and where it is posted. */
export type Post =
  | { kind: 'general'; from: string }
  | { kind: 'channel'; from: string; number: number }
  | { kind: 'direct'; from: string; to: string };

const quietPosts = 60;

/** Two fifths in `general`, a fifth each in the busy channel, in direct conversations, and in all other channels. */
export function postOf(number: number, { channels, members }: Pick<TeamSize, 'channels' | 'members'>): Post {
  const tenth = number % 10;
  const turn = Math.floor(number / 10);
  const [from, to] = number % 7 < 4 ? [member, manager] : [manager, member];
  if (number < quietPosts) return { kind: 'channel', from, number: 1 };
  if (tenth < 4) return { kind: 'general', from: memberName(number % members) };
  if (tenth < 6) return { kind: 'channel', from, number: 0 };
  if (tenth < 7) return { kind: 'direct', from, to };
  const other = 2 + (turn % (members - 3));
  if (tenth < 8) return { kind: 'direct', from: memberName(other), to: memberName(other + 1) };
  return { kind: 'channel', from: manager, number: 2 + (turn % (channels - 2)) };
}

/** A tenth of all files are shared by messages of the manager: the first ones with `member`, and the rest in channels without it. */
export function* sharesOf({ files, channels }: Pick<TeamSize, 'files' | 'channels'>): Generator<{
  file: number;
  post: Post;
}> {
  let shared = 0;
  for (let file = 0; file < files; file += 5) {
    if (!isManagers(file)) continue;
    const number = 2 + (shared % 8) + 10 * (Math.floor(shared / 8) % Math.floor(channels / 10));
    const isDirect = shared++ < sharedFiles;
    yield {
      file,
      post: isDirect
        ? { kind: 'direct', from: manager, to: member }
        : { kind: 'channel', from: manager, number },
    };
  }
}

const folderOf = (file: number): number => Math.floor(file / filesPerFolder);

/** Half of all files belong to the manager, so that one home grows with the team's files. */
const isManagers = (file: number): boolean => folderOf(file) % 2 === 0;

/** Homes take turns, a folder each. */
export function pathOf(
  file: number,
  { members }: Pick<TeamSize, 'members'>,
): { owner: string; path: string } {
  const folder = folderOf(file);
  const owner = isManagers(file) ? manager : memberName(1 + ((folder >> 1) % (members - 1)));
  return { owner, path: `/${owner}/folder-${folder}/file-${file}.txt` };
}
