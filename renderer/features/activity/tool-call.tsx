/** A call of a tool in one line, with its input and its result folded. The changes of an edit are shown as diffs. */
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { editsOf } from './edits.rules.ts';
import { LongText } from './long-text.tsx';
import { callGist, inputFields, type ToolAnswer, toolName } from './tool-call.rules.ts';

/** One line, which opens what is in it. */
export function Fold({ line, children }: { line: ReactNode; children: ReactNode }) {
  return (
    <details className="group/fold min-w-0">
      <summary className="flex min-h-7 cursor-pointer list-none items-center gap-2 rounded-md hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-3.5 shrink-0 text-faint group-open/fold:rotate-90" />
        {line}
      </summary>
      <div className="flex flex-col gap-2 border-l border-line py-1 pl-3 ml-1.5">{children}</div>
    </details>
  );
}

function Input({ input }: { input: unknown }) {
  return (
    <dl className="text-sm">
      {inputFields(input).map(([name, text]) => (
        <div key={name}>
          <dt className="text-faint">{name === '' ? 'input' : name}</dt>
          <dd>
            <LongText label={`Input of the tool: ${name}`} text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function ResultFold({ text, isError }: ToolAnswer) {
  return (
    <Fold
      line={
        <>
          {isError ? <Badge tone="critical">tool error</Badge> : <span className="text-soft">Result</span>}
          <span className="min-w-0 flex-1 truncate font-mono text-sm text-faint">{text.slice(0, 200)}</span>
        </>
      }
    >
      <LongText label="Result of the tool" text={text} />
    </Fold>
  );
}

/** `result`: undefined while it is not known. */
export function ToolCall({ name, input, result }: { name: string; input: unknown; result?: ToolAnswer }) {
  const edits = editsOf(input);
  const gist = callGist(input);
  return (
    <div className="flex min-w-0 flex-col">
      <Fold
        line={
          <>
            <span className="shrink-0 font-medium" title={name}>
              {toolName(name)}
            </span>
            <span className="min-w-0 flex-1 truncate font-mono text-sm text-soft" title={gist.slice(0, 1000)}>
              {gist.slice(0, 400)}
            </span>
            {result?.isError ? <Badge tone="critical">tool error</Badge> : null}
          </>
        }
      >
        {edits.length > 0 ? null : <Input input={input} />}
        {result === undefined ? (
          <p className="text-sm text-faint">No result has been recorded.</p>
        ) : (
          <LongText label="Result of the tool" text={result.text} />
        )}
      </Fold>
      {edits.map(({ path, diff }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the edits of one call never move
        <div key={index} className="min-w-0 pl-5.5">
          {edits.length > 1 ? <p className="font-mono text-sm wrap-anywhere">{path}</p> : null}
          <DiffView diff={diff} label={`Edit of ${path}`} className="max-h-96" />
        </div>
      ))}
    </div>
  );
}
