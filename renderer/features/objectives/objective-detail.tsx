/** One objective: its outcome first, then what happened. */
import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Objective, ObjectiveEvent } from '#protocol/objective.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Section } from '../../ui/page.tsx';
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
      return { text: `${actor} cancelled it`, detail: event.payload.reason };
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

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex gap-3 py-1">
    <dt className="w-24 shrink-0 text-soft">{name}</dt>
    <dd className="min-w-0 flex-1">{children}</dd>
  </div>
);

const MemberLink = ({ name }: { name: string }) => (
  <Link to="/app/members/$name" params={{ name }} className="text-accent underline underline-offset-2">
    {name}
  </Link>
);

export function ObjectiveFacts({ objective }: { objective: Objective }) {
  const { assignee, originator, watchers, createdAt, completedAt, attachments } = objective;
  return (
    <dl className="px-4 py-2">
      <Fact name="Assignee">
        <MemberLink name={assignee} />
      </Fact>
      <Fact name="Originator">
        <MemberLink name={originator} />
      </Fact>
      <Fact name="Watchers">{watchers.length === 0 ? 'nobody' : watchers.join(', ')}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      {completedAt === null ? null : (
        <Fact name="Ended">
          <Time at={completedAt} />
        </Fact>
      )}
      {attachments.length === 0 ? null : (
        <Fact name="Files">
          <ul>
            {attachments.map((path) => (
              <li key={path}>
                <Link
                  to="/app/files"
                  search={{ path: path.slice(0, path.lastIndexOf('/')), file: path }}
                  className="inline-flex items-center gap-1 text-accent underline underline-offset-2"
                >
                  <Paperclip className="size-3.5" />
                  {path}
                </Link>
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

export function Outcome({ objective }: { objective: Objective }) {
  const { outcome, status, blockReason, result, body } = objective;
  return (
    <div className="flex flex-col gap-4">
      <Section title="Outcome">
        <div className="px-4 py-3 text-lg">
          <Markdown text={outcome} />
        </div>
      </Section>
      {blockReason !== null && status !== 'active' ? (
        <div className="rounded-lg border border-caution bg-caution-soft px-4 py-3">
          <h2 className="font-semibold text-caution">
            {status === 'blocked' ? 'Blocked' : 'It was blocked'}
          </h2>
          <Markdown text={blockReason} />
        </div>
      ) : null}
      {result === null ? null : (
        <div className="rounded-lg border border-positive bg-positive-soft px-4 py-3">
          <h2 className="font-semibold text-positive">Result</h2>
          <Markdown text={result} />
        </div>
      )}
      {body === '' ? null : (
        <Section title="Description">
          <div className="px-4 py-3">
            <Markdown text={body} />
          </div>
        </Section>
      )}
    </div>
  );
}
