/** The state of an objective with what it needs of the reader, its reason or result, the outcome, and the description. */
import { type ReactNode, useId } from 'react';
import type { ObjectiveView } from '#protocol/objective.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { Time } from '../../ui/time.tsx';
import { stateOf } from './state.rules.ts';
import { useNeed } from './use-need.ts';

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="max-w-[60ch]">
      <h2 id={id} className="text-sm text-soft">
        {title}
      </h2>
      {children}
    </section>
  );
}

interface StateProps {
  view: ObjectiveView;
  /** The reason or the result and the assignee are elsewhere, so it names the assignee itself. */
  isHead?: boolean;
}

export function State({ view: { objective, events }, isHead = false }: StateProps) {
  const { status, assignee } = objective;
  const { words, since, text } = stateOf(objective, events);
  const { sentence } = useNeed(objective);
  return (
    <section aria-label="State" className="max-w-[60ch]">
      <p className="flex items-start gap-2 [&_svg]:mt-0.5">
        <StatusIcon status={status} isNamed />
        <span className="min-w-0 wrap-anywhere">
          <span className="font-semibold">{words}</span>
          {isHead && !words.endsWith(` ${assignee}`) ? `, assigned to ${assignee}` : null}{' '}
          <span className="text-soft">
            <Time at={since} />
          </span>
        </span>
      </p>
      {sentence === null ? null : <p className="pl-6 wrap-anywhere">{sentence}</p>}
      {isHead || text === null ? null : (
        <div className="pt-2 pl-6">
          <Markdown text={text} />
        </div>
      )}
    </section>
  );
}

/** `hasState`: false where a head of the page shows the state, without the reason or the result. */
export function Outcome({ view, hasState = true }: { view: ObjectiveView; hasState?: boolean }) {
  const { outcome, body, status } = view.objective;
  const { text } = stateOf(view.objective, view.events);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {hasState ? <State view={view} /> : null}
      {hasState || text === null ? null : (
        <Part title={status === 'done' ? 'Result' : 'Reason'}>
          <Markdown text={text} />
        </Part>
      )}
      <Part title="Desired outcome">
        <Markdown text={outcome} />
      </Part>
      {body === '' ? null : (
        <Part title="Description">
          <Markdown text={body} />
        </Part>
      )}
    </div>
  );
}
