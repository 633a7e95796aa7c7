/**
 * Uploads: the received body is parsed, checked, and stored here, on the store's thread, so that megabytes of
 * it never delay the thread that serves chat (docs/benchmarks.md). All events of a batch are stored, or none.
 */
import type Database from 'better-sqlite3';
import type { z } from 'zod';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { jsonBounds } from '../../runtime/json-bounds.rules.ts';
import { isDeeper } from '../../runtime/json-depth.rules.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { addUsage, type Exchange } from './activity-usage.sqlite.ts';
import { addPieces } from './request-pieces.sqlite.ts';
import { splitExchange, type WholeExchange } from './split-exchange.ts';

type Schemas = typeof import('#protocol/activity.ts');

const utf8 = new TextDecoder('utf-8', { fatal: true });

const { depth, containers } = limits.activity;
const refuseDeep = (): never => refuse('nested_too_deeply', { part: 'the body', max: depth });

/** A body larger than other routes accept is checked, before it is parsed, for what parsing would cost. */
function parse(bytes: ArrayBuffer): unknown {
  const isLarge = bytes.byteLength > limits.body.json;
  if (isLarge) {
    const bounds = jsonBounds(new Uint8Array(bytes));
    if (bounds.depth > depth) refuseDeep();
    if (bounds.containers > containers) refuse('too_many_json_values', { max: containers });
  }
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(bytes));
  } catch {
    refuse('invalid_json');
  }
  // Cheaper than scanning each byte. Writing a deeply nested value would exhaust the stack.
  if (!isLarge && isDeeper(body, depth)) refuseDeep();
  return body;
}

/**
 * Refuses like every other body: one sentence about the first place, and the issues as details
 * (specification/api.md#errors).
 */
function fitting<S extends z.ZodType>(schema: S, value: unknown, place: (string | number)[]): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map(({ code, path, message }) => ({
    code,
    path: [...place, ...path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
    message,
  }));
  const [first] = details;
  return refuse(
    'invalid_request',
    { place: ['body', ...(first?.path ?? [])].join('.'), issue: first?.message ?? 'does not fit its schema' },
    { details },
  );
}

/** A shorter event is stored in one row: it has too little that is worth finding again. */
const minSplitCharacters = 4096;
/** A piece costs about 130 bytes of its own, and the time of a query: half a million in one upload would hold up all others. */
const minCharactersPerPiece = 256;

const isWorthSplitting = (characters: number, messages: number): boolean =>
  characters >= Math.max(minSplitCharacters, messages * minCharactersPerPiece);

const exchangeOf = ({
  ts,
  entry: { model, response },
}: Extract<z.infer<Schemas['ActivityEvent']>, { kind: 'llm_exchange' }>): Exchange => ({
  ts,
  model,
  usage: response?.usage ?? null,
});

export function activityUploadUnits(db: Database.Database) {
  const insert = db.prepare<{ member: string; ts: number; kind: string; now: number; event: string }>(
    'INSERT INTO activity (member, ts, kind, created_at, event) VALUES (:member, :ts, :kind, :now, :event)',
  );
  const add = addUsage(db);
  const addTo = addPieces(db);

  /**
   * Everything in an entry is kept as it was received; of the event around it, only the specified fields
   * (specification/activity.md#events).
   */
  function store(
    member: string,
    now: number,
    event: z.infer<Schemas['ActivityEvent']>,
    entry: unknown,
  ): void {
    const row = { member, now, ts: event.ts, kind: event.kind };
    const kept = 'entry' in event ? { ...event, entry } : event;
    const text = JSON.stringify(kept);
    if (
      event.kind !== 'llm_exchange' ||
      !isWorthSplitting(text.length, event.entry.request.messages.length)
    ) {
      insert.run({ ...row, event: text });
      return;
    }
    const split = splitExchange(member, kept as WholeExchange);
    const { lastInsertRowid } = insert.run({ ...row, event: split.event });
    addTo(Number(lastInsertRowid), split);
  }

  let schemas: Schemas | undefined;
  return {
    reads: {},
    writes: {
      /** `bytes` is the body. @throws BrokerError bad_request if it is not an upload of 1 to 500 events. */
      acceptActivity: (input: { member: string; now: number; bytes: ArrayBuffer }): { accepted: number } => {
        if (schemas === undefined) throw new Error('the schemas are not loaded');
        const { ActivityEnvelope, EventEntry, ActivityEvent } = schemas;
        const { events } = fitting(ActivityEnvelope, parse(input.bytes), []);
        const { member, now } = input;
        const exchanges: Exchange[] = [];
        for (const [index, uploaded] of events.entries()) {
          const event = fitting(ActivityEvent, uploaded, ['events', index]);
          const { entry } = EventEntry.parse(uploaded);
          store(member, now, event, entry);
          if (event.kind === 'llm_exchange') exchanges.push(exchangeOf(event));
        }
        add(member, exchanges);
        return { accepted: events.length };
      },
    },
    /** zod and the schemas are most of what such a thread loads, and the start need not wait for them. */
    beforeFirst: {
      acceptActivity: async (): Promise<void> => {
        schemas = await import('#protocol/activity.ts');
      },
    },
  };
}
export type ActivityUploadUnits = AsyncUnits<typeof activityUploadUnits>;
