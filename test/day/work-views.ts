/** The views of a member's work: its briefing and its activity. */
import type { Answer } from './day-broker.ts';
import { mayWatchActivity, openObjectives } from './reading-model.ts';
import { okOr, type View, type ViewContext } from './view.ts';

export function createWorkViews({ day, broker, everyone, get }: ViewContext) {
  const briefingOf = (name: string): View => ({
    title: `the briefing of ${name}`,
    expected: { teammates: everyone, open: openObjectives(day, name) },
    actual: async () =>
      okOr(await get(name, '/briefing'), ({ teammates, openObjectives: open }) => ({
        teammates: teammates.map((one: { name: string }) => one.name),
        open: open.map(({ title }: { title: string }) => title),
      })),
  });

  const activityOf = (reader: string, member: string): View => ({
    title: `the activity of ${member} for ${reader}`,
    expected: mayWatchActivity(day, reader, member) ? [...(day.markers.get(member) ?? [])].reverse() : 403,
    isLate: true,
    actual: async () =>
      okOr(await get(reader, `/members/${member}/activity?limit=1000`), ({ activity }) =>
        activity.map(({ event }: Answer['body']) => ({
          kind: event.kind,
          objective: broker.objectiveKey(event.objectiveId),
          result: event.result ?? null,
        })),
      ),
  });

  return { briefingOf, activityOf };
}
