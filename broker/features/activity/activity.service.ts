/** Uploading, reading, and watching activity (specification/activity.md#upload). */
import {
  type ActivityAccepted,
  ActivityCursor,
  type ActivityQuery,
  type ActivityUsage,
  type ActivityUsageQuery,
} from '#protocol/activity.ts';
import type {
  ActivitySummaries,
  ActivityTranscript,
  MemberSummariesQuery,
  TeamActivityQuery,
  TranscriptQuery,
} from '#protocol/activity-summary.ts';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { activityKinds } from '#protocol/vocabulary.ts';
import type { JsonItems } from '../../http/json-list.ts';
import type { Entry, Page } from '../../http/live-stream.ts';
import type { LiveStreams } from '../../http/live-streams.ts';
import type { StreamSink } from '../../http/sse.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Members } from '../members/members.service.ts';
import type { FramesPage } from './activity-pages.ts';
import type { ActivityReadUnits } from './activity-reads.sqlite.ts';
import type { ActivitySummaryUnits, Piece } from './activity-summaries.sqlite.ts';
import type { ActivityUploadUnits } from './activity-upload.sqlite.ts';
import { daysOf } from './usage-days.rules.ts';

export interface Activity {
  /** `bytes` is the body, which is moved to the store's thread. */
  upload(member: string, bytes: ArrayBuffer): Promise<ActivityAccepted>;
  /**
   * Returns the rows of an ActivityRange as JSON, in pages. @throws BrokerError not_found for a name that never had
   * activity.
   */
  range(member: string, query: ActivityQuery): JsonItems;
  /**
   * Returns sums per member, day, and model (ADR 0010) for everybody whom the reader may see, unless the
   * query names a member.
   * @throws BrokerError bad_request for days that it does not answer, not_found for a name that never had
   *   activity.
   */
  usage(reader: Pick<Actor, 'name' | 'permissions'>, query: ActivityUsageQuery): Promise<ActivityUsage>;
  /** Returns one row as JSON. @throws BrokerError not_found. */
  row(member: string, id: number): Promise<Buffer>;
  /** As range, in short. */
  summaries(member: string, query: MemberSummariesQuery): Promise<ActivitySummaries>;
  /** @throws BrokerError not_found for a name that never had activity. */
  transcript(member: string, query: TranscriptQuery): Promise<ActivityTranscript>;
  /** Of everybody whom the reader may see, unless the query names a member. @throws BrokerError not_found. */
  ofTeam(reader: Pick<Actor, 'name' | 'permissions'>, query: TeamActivityQuery): Promise<ActivitySummaries>;
  /** As watch, in short; of everybody if `member` is null. */
  watchSummaries(reader: Actor, member: string | null, cursor: string | undefined, sink: StreamSink): void;
  /** @throws BrokerError not_found before a stream is opened. */
  refuseUnknown(member: string): void;
  /**
   * Opens a stream of the member's rows. `cursor` is the last one that the reader saw; undefined for live
   * only.
   */
  watch(reader: Actor, member: string, cursor: string | undefined, sink: StreamSink): void;
  /** Returns when rows of the member were last stored since the broker started, in epoch ms; undefined if none were. */
  lastAt(member: string): number | undefined;
  /** Rows of these members were stored in another way than by an upload. */
  onStored(members: Iterable<string>): void;
}

export interface ActivityDeps {
  units: ActivityUploadUnits & ActivityReadUnits & ActivitySummaryUnits;
  /** A hub of its own, because watching activity is not presence. */
  streams: LiveStreams;
  members: Members;
  clock: Clock;
  frames: {
    ready(id: number): Buffer;
    reset(id: number): Buffer;
    entriesOf(page: FramesPage): Entry[];
  };
}

const nothing = Buffer.alloc(0);

/** The streams of everybody's activity. No member has this name. */
const everybody = '*';

export function createActivity({ units, streams, members, clock, frames }: ActivityDeps): Activity {
  /** The reads of this turn. Streams of a member at the same row share one read and its bytes. */
  const readByPlace = new Map<string, Promise<Page>>();

  type Reading = (after: number) => Promise<FramesPage & { floor?: number }>;

  /** `what` names the reading, so that streams of the same rows share it. */
  function pageAfter(what: string, after: number, read: Reading): Promise<Page> {
    const place = `${after} ${what}`;
    const underWay = readByPlace.get(place);
    if (underWay !== undefined) return underWay;
    const reading = read(after).then((page): Page => {
      // The stream ends, and its reader learns from `reset` that rows are missing.
      if (after < (page.floor ?? 0))
        throw new Error('activity that a stream had not carried yet was removed');
      return { entries: frames.entriesOf(page), isLast: page.isLast };
    });
    readByPlace.set(place, reading);
    // Forgotten at the end of this turn, because a later call may follow a commit that this read has not
    // seen.
    queueMicrotask(() => readByPlace.delete(place));
    return reading;
  }

  function open(
    reader: Actor,
    { key, what, cursor, read }: { key: string; what: string; cursor: string | undefined; read: Reading },
    sink: StreamSink,
  ): void {
    let isFirst = true;
    streams.open({
      key,
      reader: reader.name,
      credentialId: reader.credentialId,
      // Tokens and sessions end their streams themselves; only a JWT's end is known here.
      endsAt: reader.plane === 'jwt' ? reader.expiresAt : null,
      sink,
      opening: nothing,
      after: 0,
      backlog(after) {
        if (!isFirst) return pageAfter(what, after, read);
        isFirst = false;
        return firstPage(cursor);
      },
    });
  }

  /** By member. */
  const lastAt = new Map<string, number>();

  function refresh(stored: Iterable<string>): void {
    for (const member of stored) {
      lastAt.set(member, clock());
      streams.refresh(member);
    }
    streams.refresh(everybody);
  }

  /**
   * The first page reports the stream's position. A cursor is honored if every row after it still exists.
   */
  async function firstPage(cursor: string | undefined): Promise<Page> {
    const { floor, newest } = await units.activityStanding();
    if (cursor === undefined) return standing(newest, frames.ready(newest));
    const id = ActivityCursor.safeParse(cursor).success ? Number(cursor) : -1;
    if (id < floor || id > newest) return standing(newest, frames.reset(newest));
    return standing(id, frames.ready(id));
  }
  const standing = (position: number, frame: Buffer): Page => ({
    entries: [{ position, frame }],
    isLast: false,
  });

  async function* pagesOf(member: string, query: ActivityQuery): AsyncGenerator<Uint8Array> {
    const { from, to, limit, objective = null } = query;
    const kinds = query.kind ?? activityKinds;
    let page = await units.activityRange({ member, kinds, from, to, limit, objective });
    if (page.bytes.byteLength === 0 && page.rest.length === 0) refuseGone(member);
    for (;;) {
      yield new Uint8Array(page.bytes);
      if (page.rest.length === 0) return;
      page = await units.activityRows({ ids: page.rest });
    }
  }

  type NextPiece<Item> = (input: { ids: readonly number[] }) => Promise<Piece<Item>>;

  /** Adds pieces until nothing is left or the items have `maxSize` characters. Others read between two pieces. */
  async function joined<Item>(
    first: Piece<Item>,
    next: NextPiece<Item>,
    maxSize = Number.POSITIVE_INFINITY,
  ): Promise<Piece<Item>> {
    let { items, size, rest } = first;
    while (rest.length > 0 && size < maxSize) {
      const piece = await next({ ids: rest });
      items = items.concat(piece.items);
      size += piece.size;
      rest = piece.rest;
    }
    return { items, size, rest };
  }

  function refuseGone(member: string): void {
    if (members.find(member) === undefined) refuse('unknown_member', { name: member });
  }

  return {
    async upload(member, bytes) {
      const accepted = await units.acceptActivity({ member, now: clock(), bytes });
      refresh([member]);
      return accepted;
    },
    range: pagesOf,
    async usage({ name, permissions }, query) {
      const days = daysOf(query, clock());
      const member = query.member ?? (permissions.includes('activity.read') ? null : name);
      const usage = await units.usagePerDay({ ...days, member });
      if (usage.length === 0 && member !== null) refuseGone(member);
      return { usage };
    },
    refuseUnknown: refuseGone,
    watch(reader, member, cursor, sink) {
      const read = (after: number) => units.activityFrames({ member, after });
      open(reader, { key: member, what: member, cursor, read }, sink);
    },
    watchSummaries(reader, member, cursor, sink) {
      const key = member ?? everybody;
      const read = (after: number) => units.summaryFrames({ member, after });
      open(reader, { key, what: `in short ${key}`, cursor, read }, sink);
    },
    async row(member, id) {
      const { bytes } = await units.activityRow({ member, id });
      if (bytes.byteLength === 0) refuse('unknown_activity');
      return Buffer.from(bytes);
    },
    async summaries(member, { from, to, kind = activityKinds, objective = null, limit }) {
      const first = await units.memberSummaries({ member, kinds: kind, from, to, limit, objective });
      const { items: activity } = await joined(first, units.summariesOfRows);
      if (activity.length === 0) refuseGone(member);
      return { activity };
    },
    async transcript(member, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const first = await units.activityTurns({ member, before, limit });
      const { bytes } = limits.activity.transcript;
      const { items: turns, rest } = await joined(first, units.turnsOfRows, bytes);
      const last = turns.at(-1);
      if (last === undefined) refuseGone(member);
      const isEnd = rest.length === 0 && first.isEnd;
      return { turns, next: isEnd ? null : (last?.id ?? null) };
    },
    async ofTeam({ name, permissions }, query) {
      const member = query.member ?? (permissions.includes('activity.read') ? null : name);
      const { kind = activityKinds, failed, before = Number.MAX_SAFE_INTEGER, limit } = query;
      const isFailed = failed !== undefined;
      const first = await units.teamActivity({ member, kinds: kind, isFailed, before, limit });
      const { items: activity } = await joined(first, units.summariesOfRows);
      if (activity.length === 0 && member !== null) refuseGone(member);
      return { activity };
    },
    lastAt: (member) => lastAt.get(member),
    onStored(stored) {
      refresh(new Set(stored));
    },
  };
}
