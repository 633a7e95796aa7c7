/**
 * Why a model refuses, from what its service or the agent says, and when to try again
 * (specification/runner.md#a-model-that-refuses). Pure.
 */
import { limits } from '#protocol/limits.ts';
import type { ModelReport } from '#protocol/model-refusal.ts';
import { maskText } from '../gateway/masking.rules.ts';
import type { RefusedAnswer } from '../gateway/model-reply.rules.ts';

/** As it is reported. `until` in epoch milliseconds. */
export type Refusal = Omit<Extract<ModelReport, { state: 'refusing' }>, 'state'>;
type Cause = Refusal['cause'];

/** Why a turn was not completed, in the agent's words. */
export interface TurnFailure {
  /** The HTTP status of the model's service, if the agent names it. */
  status: number | null;
  /** Its own word for the cause, such as `authentication_failed`; `interrupted` is not a refusal. */
  kind: string | null;
  message: string;
}

const maxLimitMs = 31 * 24 * 60 * 60_000;

/** Words of the services and of the agents, in the order in which they are asked. */
const causeByWord: readonly [RegExp, Cause][] = [
  [/auth|permission_error|permission_denied|invalid_api_key|not logged in|api key/i, 'login'],
  [/rate_?limit|usage_?limit|quota|billing|sessionBudget/i, 'limit'],
  [/overload|api_error|server_?error|internal|slow_down|high demand|timeout/i, 'overloaded'],
  [
    /connect|waiting for network|sending request|ECONN|ENOTFOUND|network|stream_?disconnected/i,
    'unreachable',
  ],
];

const causeOfWords = (words: readonly (string | null)[]): Cause =>
  words.flatMap(
    (word) => causeByWord.find(([pattern]) => word !== null && pattern.test(word))?.[1] ?? [],
  )[0] ?? 'rejected';

function causeOfStatus(status: number): Cause | null {
  if (status === 401 || status === 403) return 'login';
  if (status === 429) return 'limit';
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'rejected' : null;
}

/** `6m0s`, `1.5s`, `20ms`, as in `x-ratelimit-reset-*`; null if it is something else. */
function durationOf(text: string): number | null {
  const msByUnit: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return null;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (msByUnit[unit ?? ''] ?? 0), 0);
}

/** A number of seconds, a duration, or a date; null if it is none of them. */
function timeOf(text: string, now: number, isPointInTime: boolean): number | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000 + (isPointInTime ? 0 : now);
  const durationMs = durationOf(text);
  if (durationMs !== null) return now + durationMs;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** When the limit ends, by the first of these that says so. */
function limitEnd({ headers, resetsAt, resetsInSeconds }: RefusedAnswer, now: number): number | null {
  const headerOf = (name: string): string | null => [headers[name] ?? []].flat()[0]?.trim() ?? null;
  const retryAfter = headerOf('retry-after');
  const ofBody = resetsAt !== null ? resetsAt * 1000 : null;
  const ofBodyToo = resetsInSeconds !== null ? now + resetsInSeconds * 1000 : null;
  const unified = headerOf('anthropic-ratelimit-unified-reset');
  // Each kind of limit has its own; the exhausted one counts.
  const exhausted = Object.keys(headers).flatMap((name) => {
    const [, before, kind] = /^(anthropic-ratelimit-(?:.+-)?|x-ratelimit-)reset-?(.*)$/.exec(name) ?? [];
    if (before === undefined) return [];
    const remaining = headerOf(kind ? `${before}remaining-${kind}` : `${before}remaining`);
    const at = remaining === '0' ? timeOf(headerOf(name) ?? '', now, before.startsWith('anthropic')) : null;
    return at === null ? [] : [at];
  });
  const ends = [
    retryAfter === null ? null : timeOf(retryAfter, now, false),
    ofBody,
    ofBodyToo,
    unified === null ? null : timeOf(unified, now, true),
    exhausted.length === 0 ? null : Math.max(...exhausted),
  ];
  const end = ends.find((at) => at !== null && at > now && at - now <= maxLimitMs) ?? null;
  return end === null ? null : Math.round(end);
}

function refusal(cause: Cause, until: number | null, message: string | null): Refusal {
  // An address may contain the secret of the gateway.
  const detail = maskText(message ?? '')
    .replaceAll(/\bhttps?:\/\/[^\s"')]+/g, '…')
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, limits.modelDetail)
    .toWellFormed();
  return { cause, ...(until !== null && { until }), ...(detail !== '' && { detail }) };
}

/** `now` in epoch milliseconds. */
export function refusalOf(answer: RefusedAnswer, now: number): Refusal {
  const { status, type, message } = answer;
  if (status === null) return refusal('unreachable', null, message);
  // A stream that consists of an error has status 200.
  const cause = causeOfStatus(status) ?? (type === null ? 'unreachable' : causeOfWords([type, message]));
  return refusal(cause, cause === 'limit' ? limitEnd(answer, now) : null, message);
}

/** For a turn in which no exchange was seen. */
export function refusalOfWords({ status, kind, message }: TurnFailure): Refusal {
  const cause = (status === null ? null : causeOfStatus(status)) ?? causeOfWords([kind, message]);
  return refusal(cause, null, message);
}

const firstDelayMs = 1000;
const maxDelayMs = 5 * 60_000;

/**
 * How long to wait before the next attempt, in milliseconds: doubled each time, with jitter, and until a known
 * limit ends; at most five minutes. `failures`: attempts that failed so far, from 1. `random` in [0, 1).
 */
export function retryDelay(failures: number, until: number | undefined, now: number, random: number): number {
  const doubled = Math.min(firstDelayMs * 2 ** Math.min(failures - 1, 20), maxDelayMs);
  const jittered = doubled * (0.75 + random / 4);
  return Math.min(until === undefined ? jittered : Math.max(jittered, until - now), maxDelayMs);
}
