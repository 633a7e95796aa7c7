/** Fills an activity store through the broker's own units of work with what one agent uploaded. */
import type { ActivityStoreUnits } from '../../broker/activity-store.ts';
import { agent, objectiveId } from './team-shape.ts';
import { inTurns } from './turns.ts';

const eventsPerUpload = 250;
const rowEveryMs = 60_000;
/** The agent works on one objective for this many rows, and on none for as many. */
const rowsPerObjective = 100;

/** Epoch ms of the newest row, if the oldest one is at `start`. */
export const lastActivityAt = (start: number, rows: number): number => start + (rows - 1) * rowEveryMs;

export async function fillActivityStore(
  units: ActivityStoreUnits,
  rows: number,
  start: number,
): Promise<void> {
  await inTurns(uploadsOf(rows, start), units.acceptActivity);
  await inTurns(markersOf(rows, start), (activity) =>
    units.applyOutbox({ now: activity.ts, rows: [{ source: `s:${activity.ts}`, activity }] }),
  );
}

function* uploadsOf(rows: number, start: number) {
  for (let first = 0; first < rows; first += eventsPerUpload) {
    const count = Math.min(eventsPerUpload, rows - first);
    const events = Array.from({ length: count }, (_, index) => eventOf(start + (first + index) * rowEveryMs));
    const { buffer } = new TextEncoder().encode(JSON.stringify({ events }));
    yield { member: agent, now: lastActivityAt(start, rows), bytes: buffer };
  }
}

/** All of a size, every tenth one an exchange with a model. */
function eventOf(ts: number): object {
  const at = { startedAt: ts, endedAt: ts };
  if ((ts / rowEveryMs) % 10 >= 1) {
    const entry = {
      kind: 'opaque_http',
      ...at,
      host: 'h',
      method: 'GET',
      url: 'https://h/',
      status: 200,
      requestHeaders: {},
      responseHeaders: {},
      requestBodyPreview: '',
      responseBodyPreview: '',
    };
    return { kind: 'opaque_http', ts, duration: 1, entry };
  }
  const usage = { inputTokens: 900, outputTokens: 90, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };
  return {
    kind: 'llm_exchange',
    ts,
    duration: 1,
    entry: {
      kind: 'anthropic_messages',
      provider: 'anthropic',
      model: 'model',
      ...at,
      request: {
        system: null,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'status' }] }],
        tools: null,
        maxTokens: 4096,
        temperature: null,
      },
      response: { messages: [], stopReason: 'end_turn', status: null, usage },
    },
  };
}

function* markersOf(rows: number, start: number) {
  for (let row = 0, number = 0; row < rows; row += 2 * rowsPerObjective, number++)
    for (const [kind, at] of [
      ['objective_open', row],
      ['objective_close', row + rowsPerObjective],
    ] as const) {
      const ts = start + at * rowEveryMs;
      const event = JSON.stringify({ kind, ts, objectiveId: objectiveId(number) });
      yield { member: agent, ts, kind, event };
    }
}
