/** The history of an objective. */
import type { ObjectiveEvent } from '#protocol/objective.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Time } from '../../ui/time.tsx';

function sentenceOf(event: ObjectiveEvent): { text: string; detail?: string | null } {
  const { actor } = event;
  switch (event.kind) {
    case 'assigned':
      return { text: `${actor} created it and assigned it to ${event.payload.assignee}` };
    case 'blocked':
      return { text: `${actor} blocked it`, detail: event.payload.reason };
    case 'unblocked':
      return { text: `${actor} unblocked it` };
    case 'completed':
      return { text: `${actor} completed it`, detail: event.payload.result };
    case 'cancelled':
      return { text: `${actor} canceled it`, detail: event.payload.reason };
    case 'reassigned':
      return {
        text: `${actor} reassigned it from ${event.payload.from} to ${event.payload.to}`,
        detail: event.payload.note,
      };
    case 'watcher_added':
      return { text: `${actor} added ${event.payload.name} to the watchers` };
    case 'watcher_removed':
      return { text: `${actor} removed ${event.payload.name} from the watchers` };
  }
}

export function Timeline({ events }: { events: readonly ObjectiveEvent[] }) {
  return (
    <ol className="flex flex-col px-4 py-3">
      {events.map((event) => {
        const { text, detail } = sentenceOf(event);
        return (
          <li key={event.seq} className="relative border-l border-line pb-3 pl-4 last:pb-0">
            <span
              aria-hidden="true"
              className="absolute top-1.5 -left-1 size-2 rounded-full bg-line-strong"
            />
            <span className="flex justify-between gap-3">
              <span className="min-w-0">{text}</span>
              <span className="pt-px text-sm text-faint">
                <Time at={event.ts} />
              </span>
            </span>
            {detail ? (
              <div className="mt-0.5 text-soft">
                <Markdown text={detail} />
              </div>
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}
