/** The expected outcome of an objective, and its blocker. */
import type { Objective } from '#protocol/objective.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Section } from '../../ui/page.tsx';

export function Outcome({ objective }: { objective: Objective }) {
  const { outcome, status, blockReason, body } = objective;
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
            {status === 'blocked' ? 'Blocked' : 'Blocked earlier'}
          </h2>
          <Markdown text={blockReason} />
        </div>
      ) : null}
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
