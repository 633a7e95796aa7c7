/** The summary of an activity row in one line. */
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { toolName } from './tool-call.rules.ts';

/** Returns the id of the objective that the row is about. */
export const objectiveOf = ({ objectiveId }: ActivitySummary): string | undefined => objectiveId;

/** Returns how many of the results that the exchange carried are errors. */
export const toolErrorsOf = ({ exchange }: ActivitySummary): number =>
  exchange?.results.filter(({ isError }) => isError).length ?? 0;

/** `title`: of the row's objective; an objective without a known title is called by its id. */
export function gistOf(row: ActivitySummary, title: string | undefined): string {
  const { exchange, request, objectiveId, result } = row;
  if (exchange !== undefined) {
    const { model, calls, text, status } = exchange;
    return [
      model ?? 'a model',
      row.isFailed ? `failed${status === null ? '' : ` with ${status}`}` : null,
      calls.length > 0 ? `calls ${calls.map(({ name }) => toolName(name)).join(', ')}` : null,
      text,
    ]
      .filter(Boolean)
      .join(' · ');
  }
  if (request !== undefined)
    return `${request.method} ${request.host} ${request.status ?? 'without an answer'}`;
  const objective = title ?? objectiveId ?? '';
  return result === undefined ? objective : `${objective}: ${result.replace('_', ' ')}`;
}
