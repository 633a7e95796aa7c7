/** The summary of an activity row in one line. */
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { toolName } from './tool-call.rules.ts';

/** Returns how many of the results that the exchange carried are errors. */
export const toolErrorsOf = ({ exchange }: ActivitySummary): number =>
  exchange?.results.filter(({ isError }) => isError).length ?? 0;

/** Returns what the exchange said and called, and with `hasModel` also its model, which is often the same; the model alone if there is nothing else. */
function gistOfExchange({ exchange, isFailed }: ActivitySummary, hasModel: boolean): string {
  if (exchange === undefined) return '';
  const { model, calls, text, status } = exchange;
  const parts = [
    isFailed ? `failed${status === null ? '' : ` with ${status}`}` : null,
    text,
    calls.length > 0 ? `calls ${calls.map(({ name }) => toolName(name)).join(', ')}` : null,
  ].filter(Boolean);
  return [...parts, ...(hasModel || parts.length === 0 ? [model ?? 'a model'] : [])].join(' · ');
}

/** Returns a gist of each model request. The model is left out if it is the same in all of them. */
export function gistsOfExchanges(rows: readonly ActivitySummary[]): string[] {
  const models = new Set(rows.map(({ exchange }) => exchange?.model));
  return rows.map((row) => gistOfExchange(row, models.size > 1));
}

/** `title`: of the row's objective; an objective without a known title is called by its id. */
export function gistOf(row: ActivitySummary, title: string | undefined): string {
  const { exchange, request, objectiveId, result } = row;
  if (exchange !== undefined) return gistOfExchange(row, true);
  if (request !== undefined)
    return `${request.method} ${request.host} ${request.status ?? 'without an answer'}`;
  const objective = title ?? objectiveId ?? '';
  return result === undefined ? objective : `${objective}: ${result.replace('_', ' ')}`;
}
