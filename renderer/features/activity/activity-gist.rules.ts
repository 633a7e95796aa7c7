/** The summary of an activity row in one line. */
import type { ActivityRow } from '#protocol/activity.ts';

export function gistOf({ event }: ActivityRow, titleById: ReadonlyMap<string, string>): string {
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
      return titleById.get(event.objectiveId) ?? event.objectiveId;
    case 'objective_close':
      return `${titleById.get(event.objectiveId) ?? event.objectiveId}: ${event.result.replace('_', ' ')}`;
  }
}
