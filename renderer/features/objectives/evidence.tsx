/** The evidence that the outcome of an objective is achieved: its result, and the files that belong to it. */
import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import type { Objective } from '#protocol/objective.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Section } from '../../ui/page.tsx';

export function Evidence({ objective: { result, attachments } }: { objective: Objective }) {
  return (
    <Section title="Evidence">
      <div className="flex flex-col gap-3 px-4 py-3">
        {result === null ? (
          <p className="text-soft">No result yet.</p>
        ) : (
          <div className="rounded-lg border border-positive bg-positive-soft px-4 py-3">
            <h3 className="font-semibold text-positive">Result</h3>
            <Markdown text={result} />
          </div>
        )}
        {attachments.length === 0 ? null : (
          <ul aria-label="Files">
            {attachments.map((path) => (
              <li key={path}>
                <Link
                  to="/app/files"
                  search={{ path: path.slice(0, path.lastIndexOf('/')), file: path }}
                  className="inline-flex items-center gap-1 break-all text-accent underline underline-offset-2"
                >
                  <Paperclip className="size-3.5 shrink-0" />
                  {path}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}
