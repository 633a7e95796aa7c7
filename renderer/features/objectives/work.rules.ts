/** The assignees of an objective, and what the recorded work of a member says. Pure. */
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { counted } from '#protocol/counted.ts';
import type { ObjectiveEvent } from '#protocol/objective.ts';

export const maxSteps = 10;
/** So many members are shown, the newest assignees first. */
export const maxWorkers = 3;
/** The broker answers the usage of at most 400 days. */
const maxUsageMs = 399 * 86_400_000;

/** The time in which a member had an objective, in epoch ms; the first assignment to the last end. */
export interface Worker {
  member: string;
  from: number;
  /** Null while the member has it. */
  to: number | null;
}

/** Returns everybody who had the objective, the newest assignee first, each once. */
export function workersOf(events: readonly ObjectiveEvent[]): Worker[] {
  const byMember = new Map<string, Worker>();
  let assignee = '';
  function begin(member: string, from: number): void {
    const before = byMember.get(member);
    byMember.delete(member);
    byMember.set(member, { member, from: before?.from ?? from, to: null });
    assignee = member;
  }
  function end(member: string, to: number): void {
    const worker = byMember.get(member);
    if (worker !== undefined) worker.to = to;
  }
  for (const event of events) {
    if (event.kind === 'assigned') begin(event.payload.assignee, event.ts);
    if (event.kind === 'reassigned') {
      end(event.payload.from, event.ts);
      begin(event.payload.to, event.ts);
    }
    if (event.kind === 'completed' || event.kind === 'cancelled') end(assignee, event.ts);
  }
  return [...byMember.values()].reverse();
}

/** Returns the times between which the tokens of the member are asked for, in epoch ms. */
export function usageRange({ from, to }: Worker, now: number): { from: number; to: number } {
  const until = to ?? now;
  return { from: Math.max(from, until - maxUsageMs), to: until };
}

/** A model request, without the texts that may have megabytes. */
export interface Step {
  id: number;
  ts: number;
  gist: string;
  tokens: number;
}

/** Returns a step of each row. `gists`: one for each row. */
export const stepsOf = (
  rows: readonly ActivitySummary[],
  gists: readonly string[],
  tokensOf: (row: ActivitySummary) => number,
): Step[] =>
  rows.map((row, at) => ({
    id: row.id,
    ts: row.ts,
    gist: (gists[at] ?? '').slice(0, 200),
    tokens: tokensOf(row),
  }));

/** Says how many tokens the steps used. The store may have more than `maxSteps` of them. */
export function stepsSentence(
  member: string,
  steps: readonly Step[],
  shortCount: (tokens: number) => string,
): string {
  if (steps.length === 0) return `No model request of ${member} was recorded.`;
  const requests = counted(steps.length, 'recorded model request');
  const tokens = steps.reduce((sum, step) => sum + step.tokens, 0);
  const which = steps.length < maxSteps ? requests : `The newest ${requests}`;
  return tokens === 0 ? `${which} reported no tokens.` : `${which} used ${shortCount(tokens)} tokens.`;
}

/**
 * Returns the tokens of the steps of all workers; null if none are known. `isPart`: some workers are left out.
 */
export function tokensSentence(
  stepsByWorker: readonly (readonly Step[] | null)[],
  isPart: boolean,
  shortCount: (tokens: number) => string,
): string | null {
  const tokens = stepsByWorker.flatMap((steps) => steps ?? []).reduce((sum, step) => sum + step.tokens, 0);
  if (tokens === 0) return null;
  const isLess = isPart || stepsByWorker.some((steps) => steps === null || steps.length >= maxSteps);
  return `${isLess ? 'At least ' : ''}${shortCount(tokens)}`;
}
