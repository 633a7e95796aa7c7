/** The views of objectives: one objective with its audit events, and filtered lists. */
import type { AuditEvent } from './day-state.ts';
import { okOr, type View, type ViewContext } from './view.ts';

export function createObjectiveViews({ day, broker, get }: ViewContext) {
  function objectiveOf(name: string, key: string): View {
    const one = day.objectives.get(key);
    const wire = ({ kind, actor, payload }: AuditEvent) => ({ kind, actor, payload });
    return {
      title: `${key} for ${name}`,
      expected: one && {
        title: key,
        status: one.status,
        assignee: one.assignee,
        originator: one.originator,
        watchers: one.watchers,
        attachments: one.attachments,
        blockReason: one.blockReason,
        result: one.result,
        isCompleted: one.status === 'done',
        events: one.events.map(wire),
      },
      actual: async () =>
        okOr(await get(name, `/objectives/${broker.objectiveId(key)}`), ({ objective, events }) => ({
          title: objective.title,
          status: objective.status,
          assignee: objective.assignee,
          originator: objective.originator,
          watchers: objective.watchers,
          attachments: objective.attachments,
          blockReason: objective.blockReason,
          result: objective.result,
          isCompleted: objective.completedAt !== null,
          events: events.map(wire),
        })),
    };
  }

  function objectivesOf(name: string, filter: { assignee?: string; status?: string }): View {
    const fits = [...day.objectives.values()].filter(
      ({ assignee, status }) =>
        (filter.assignee ?? assignee) === assignee && (filter.status ?? status) === status,
    );
    return {
      title: `/objectives ${JSON.stringify(filter)} for ${name}`,
      expected: fits.map(({ key }) => key).reverse(),
      actual: async () =>
        okOr(await get(name, `/objectives?${new URLSearchParams(filter)}`), ({ objectives }) =>
          objectives.map(({ title }: { title: string }) => title),
        ),
    };
  }

  return { objectiveOf, objectivesOf };
}
