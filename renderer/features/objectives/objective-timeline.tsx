/** The events of an objective, for a place without its thread. */
import type { ObjectiveEvent } from '#protocol/objective.ts';
import { wordsOfEvent } from '../../data/objective-event.rules.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Time } from '../../ui/time.tsx';

export function Timeline({ events }: { events: readonly ObjectiveEvent[] }) {
  return (
    <ol aria-label="Events" className="flex max-w-[60ch] flex-col">
      {events.map((event) => {
        const { text, detail } = wordsOfEvent(event);
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
            {detail === null ? null : (
              <div className="mt-0.5 text-soft">
                <Markdown text={detail} />
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
