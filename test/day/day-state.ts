/**
 * The team as the model holds it: plain data, so that a step can be tried on a copy. Nothing here is shared
 * with the broker.
 */

export type Level = 'admin' | 'operator' | 'none';

export interface Post {
  /** Its text, or `<objective>#<seq>` for a notice. Unique. */
  label: string;
  from: string;
  to: string | null;
  /** general | dm:<a>:<b> | chan:<key> | obj:<key> */
  scope: string;
  isNotice: boolean;
  /** The members for whom it was when it was accepted, the sender included. */
  audience: string[];
  mentions: string[];
  words: string[];
  /** The members whose runners reported evidence. */
  evidence: string[];
  /** How often the broker had been killed before. */
  life: number;
}

export interface Channel {
  key: string;
  slug: string;
  isArchived: boolean;
  createdBy: string;
  /** In the order of joining; `since` is the number of posts at that time. */
  members: { name: string; role: 'admin' | 'member'; since: number }[];
}

export interface AuditEvent {
  kind: string;
  actor: string;
  payload: Record<string, unknown>;
}

export interface Objective {
  /** Also its title. */
  key: string;
  word: string;
  status: 'active' | 'blocked' | 'done' | 'cancelled';
  assignee: string;
  originator: string;
  watchers: string[];
  attachments: string[];
  blockReason: string | null;
  result: string | null;
  events: AuditEvent[];
}

export interface FileNode {
  /** Null for a directory. */
  body: string | null;
  /** to:<member> | general | chan:<key> | obj:<key> */
  audiences: string[];
}

export interface Reader {
  isLive: boolean;
  /** Posts before this one are behind the cursor. */
  cursor: number;
  received: string[];
}

export interface Marker {
  kind: 'objective_open' | 'objective_close';
  objective: string;
  result: string | null;
}

export interface Day {
  /** In the order of joining. */
  members: Map<string, Level>;
  posts: Post[];
  channels: Map<string, Channel>;
  /** In the order of creation. */
  objectives: Map<string, Objective>;
  files: Map<string, FileNode>;
  readers: Map<string, Reader>;
  /** The position of the last read post, by member and scope. */
  reads: Map<string, Map<string, number>>;
  markers: Map<string, Marker[]>;
  /** The number of posts when a member joined. */
  joined: Map<string, number>;
  lives: number;
  /** Members of whose acts the model knows nothing: nobody looks at what they see. */
  unknown: ReadonlySet<string>;
}

export function createDay(team: ReadonlyMap<string, Level>, unknown: ReadonlySet<string> = new Set()): Day {
  const day: Day = {
    members: new Map(),
    posts: [],
    channels: new Map(),
    objectives: new Map(),
    files: new Map([['/', { body: null, audiences: [] }]]),
    readers: new Map(),
    reads: new Map(),
    markers: new Map(),
    joined: new Map(),
    lives: 0,
    unknown,
  };
  for (const [name, level] of team) addMember(day, name, level);
  return day;
}

export function addMember(day: Day, name: string, level: Level): void {
  day.members.set(name, level);
  day.joined.set(name, day.posts.length);
  day.files.set(`/${name}`, { body: null, audiences: [] });
}

export const names = (day: Day): string[] => [...day.members.keys()];

/** Those whose acts the model knows. */
export const actors = (day: Day): string[] => names(day).filter((name) => !day.unknown.has(name));

export const isManager = (day: Day, name: string): boolean => day.members.get(name) === 'admin';

export const managers = (day: Day): string[] => names(day).filter((name) => isManager(day, name));

export const distinct = <T>(items: Iterable<T>): T[] => [...new Set(items)];

export const inChannel = (day: Day, key: string, name: string): boolean =>
  day.channels.get(key)?.members.some((one) => one.name === name) ?? false;

export const threadOf = (day: Day, { originator, assignee, watchers }: Objective): string[] =>
  distinct([originator, assignee, ...watchers, ...managers(day)]).filter((name) => day.members.has(name));

export const inThread = (day: Day, key: string, name: string): boolean => {
  const objective = day.objectives.get(key);
  return objective !== undefined && threadOf(day, objective).includes(name);
};

/** Whether the member may read this scope now. */
export function reads(day: Day, name: string, scope: string): boolean {
  const [kind, ...rest] = scope.split(':');
  if (kind === 'dm') return rest.includes(name);
  if (kind === 'chan') return inChannel(day, rest[0] ?? '', name);
  return kind === 'general' || inThread(day, rest[0] ?? '', name);
}

/** Appends a post and shows it to the members who are live. */
export function accept(
  day: Day,
  post: Omit<Post, 'life' | 'evidence' | 'mentions' | 'words'> & Partial<Pick<Post, 'mentions' | 'words'>>,
): void {
  const at = day.posts.push({ mentions: [], words: [], ...post, evidence: [], life: day.lives });
  for (const name of post.audience) {
    const reader = day.readers.get(name);
    if (reader?.isLive && day.members.has(name)) show(reader, post.label, at);
  }
}

function show(reader: Reader, label: string, at: number): void {
  reader.received.push(label);
  reader.cursor = at;
}

/**
 * A stream resumes at its cursor with what was for the member in the meantime, if it may still read it.
 * Notices are for those who were there then.
 */
export function connect(day: Day, name: string): void {
  const reader = day.readers.get(name) ?? { isLive: true, cursor: day.posts.length, received: [] };
  day.readers.set(name, reader);
  reader.isLive = true;
  for (const [at, post] of day.posts.entries()) {
    if (at < reader.cursor || !post.audience.includes(name)) continue;
    if (post.isNotice || reads(day, name, post.scope)) show(reader, post.label, at + 1);
  }
}

export function disconnect(day: Day, name: string): void {
  const reader = day.readers.get(name);
  if (reader !== undefined) reader.isLive = false;
}
