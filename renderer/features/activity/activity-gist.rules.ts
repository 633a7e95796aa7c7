/** The summary of an activity row in one line. */
import type { ActivityRow } from '#protocol/activity.ts';

/** Returns the id of the objective that the row is about. */
export const objectiveOf = ({ event }: ActivityRow): string | undefined =>
  event.kind === 'objective_open' || event.kind === 'objective_close' ? event.objectiveId : undefined;

/** `title`: of the row's objective; an objective without a known title is called by its id. */
export function gistOf({ event }: ActivityRow, title: string | undefined): string {
  switch (event.kind) {
    case 'llm_exchange': {
      const { model, response } = event.entry;
      const said = response?.messages.flatMap(({ content }) => content) ?? [];
      const tools = said.filter(({ type }) => type === 'tool_use').map(({ name }) => String(name));
      const text = said.find(({ type }) => type === 'text')?.text;
      return [
        model ?? 'a model',
        tools.length > 0 ? `calls ${tools.join(', ')}` : null,
        typeof text === 'string' ? text.slice(0, 160) : null,
      ]
        .filter(Boolean)
        .join(' · ');
    }
    case 'opaque_http':
      return `${event.entry.method} ${event.entry.host} ${event.entry.status ?? ''}`;
    case 'objective_open':
      return title ?? event.objectiveId;
    case 'objective_close':
      return `${title ?? event.objectiveId}: ${event.result.replace('_', ' ')}`;
  }
}
