/** A stored row in short (specification/activity.md#summaries). A field that is not as specified is left out. */
import { hash } from 'node:crypto';
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { limits } from '#protocol/limits.ts';

/** `event` is the stored JSON, in which the parts of a split request are missing; `last` is its last message as JSON, if it is split. */
export interface SummarizedRow {
  id: number;
  member: string;
  createdAt: number;
  ts: number;
  kind: ActivitySummary['kind'];
  failed: number;
  event: string;
  last: string | null;
}

type Json = Record<string, unknown>;
const { text: maxText, name: maxName, calls: maxCalls } = limits.activity.summary;
const keyLength = 12;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const wordOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, maxName) : null;
const countOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);
const keyOf = (value: unknown): string =>
  hash('sha256', JSON.stringify(value) ?? '', 'hex').slice(0, keyLength);

const blocksOf = (messages: readonly Json[]): Json[] => messages.flatMap(({ content }) => listOf(content));

function exchangeOf(entry: Json, last: string | null): NonNullable<ActivitySummary['exchange']> {
  const response = objectOf(entry.response);
  const said = blocksOf(listOf(response.messages));
  const sent = last === null ? listOf(objectOf(entry.request).messages) : [JSON.parse(last) as unknown];
  const text = said.find(({ type, text: words }) => type === 'text' && typeof words === 'string')?.text;
  const { status, usage } = response;
  return {
    model: wordOf(entry.model),
    stopReason: wordOf(response.stopReason),
    status: typeof status === 'number' ? status : wordOf(status),
    text: typeof text === 'string' ? text.slice(0, maxText) : '',
    calls: said
      .filter(({ type }) => type === 'tool_use')
      .slice(0, maxCalls)
      .map(({ name, input }) => ({ name: wordOf(name) ?? 'a tool', key: keyOf([name, input]) })),
    results: blocksOf(listOf(sent.slice(-1)))
      .filter(({ type }) => type === 'tool_result')
      .slice(0, maxCalls)
      .map(({ content, is_error, isError }) => ({
        key: keyOf(content),
        isError: is_error === true || isError === true,
      })),
    usage: isObject(usage)
      ? {
          inputTokens: countOf(usage.inputTokens),
          outputTokens: countOf(usage.outputTokens),
          cacheReadInputTokens: countOf(usage.cacheReadInputTokens),
          cacheCreationInputTokens: countOf(usage.cacheCreationInputTokens),
        }
      : null,
  };
}

export function summaryOf({
  id,
  member,
  createdAt,
  ts,
  kind,
  failed,
  event,
  last,
}: SummarizedRow): ActivitySummary {
  const parsed = objectOf(JSON.parse(event));
  const entry = objectOf(parsed.entry);
  const { duration, objectiveId, result } = parsed;
  const summary: ActivitySummary = { id, memberName: member, createdAt, ts, kind, isFailed: failed === 1 };
  switch (kind) {
    case 'objective_open':
      return { ...summary, objectiveId: String(objectiveId) };
    case 'objective_close':
      return { ...summary, objectiveId: String(objectiveId), result: String(result) };
    case 'opaque_http': {
      const request = {
        method: wordOf(entry.method) ?? '',
        host: wordOf(entry.host) ?? '',
        status: countOf(entry.status),
      };
      return { ...summary, duration: Number(duration) || 0, request };
    }
    case 'llm_exchange':
      return { ...summary, duration: Number(duration) || 0, exchange: exchangeOf(entry, last) };
  }
}
