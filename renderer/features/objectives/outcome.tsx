/** The state of an objective with its reason or result, the outcome, and the description. */
import { type ReactNode, useId } from 'react';
import type { ObjectiveView } from '#protocol/objective.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { Time } from '../../ui/time.tsx';
import { stateOf } from './state.rules.ts';

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

export function Outcome({ view: { objective, events } }: { view: ObjectiveView }) {
  const { outcome, status, body } = objective;
  const { words, since, text } = stateOf(objective, events);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <section aria-label="State" className="max-w-[60ch]">
        <p className="flex items-center gap-2">
          <StatusIcon status={status} isNamed />
          <span>
            <span className="font-semibold">{words}</span>{' '}
            <span className="text-soft">
              <Time at={since} />
            </span>
          </span>
        </p>
        {text === null ? null : (
          <div className="pl-6">
            <Markdown text={text} />
          </div>
        )}
      </section>
      <Part title="Outcome">
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
