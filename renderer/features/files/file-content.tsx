/** The content of a file, if it can be shown safely. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorOf } from '#protocol/client.ts';
import type { FsEntry } from '#protocol/files.ts';
import { isMarkdown } from '#protocol/markdown-bounds.ts';
import { useBroker } from '../../data/broker.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { fileSize } from '../../ui/file-size.rules.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Choices } from './choices.tsx';
import { FileImage, NotShown } from './file-image.tsx';
import { type FileKind, fileKind } from './file-kind.rules.ts';

const maxPreviewBytes = 512 * 1024;

function useText(entry: FsEntry) {
  const { transport } = useBroker();
  return useQuery({
    queryKey: ['fileText', entry.path, entry.hash],
    queryFn: async () => {
      const reply = await transport.send({
        method: 'GET',
        url: transport.fileUrl(entry.path),
        headers: { range: `bytes=0-${maxPreviewBytes - 1}` },
      });
      const text = await reply.text();
      if (reply.status !== 200 && reply.status !== 206 && reply.status !== 416)
        throw errorOf(reply.status, text, null);
      return reply.status === 416 ? '' : text;
    },
  });
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface TextProps {
  entry: FsEntry;
  text: string;
}

function MarkdownText({ entry, text }: TextProps) {
  const [view, setView] = useState<'Rendered' | 'Source'>('Rendered');
  const isRendered = isMarkdown(text);
  return (
    <div className="flex flex-col gap-2">
      {isRendered ? (
        <Choices label="View" choices={['Rendered', 'Source']} value={view} onChoose={setView} />
      ) : (
        <p className="text-sm text-soft">This text is too long, or too deeply nested, to be rendered.</p>
      )}
      {view === 'Source' || !isRendered ? (
        <CodeBlock
          code={text}
          language="markdown"
          label={`Content of ${entry.name}`}
          className="max-h-[60vh] whitespace-pre-wrap"
        />
      ) : (
        <div
          {...scrollable(`Content of ${entry.name}`)}
          className="max-h-[60vh] overflow-auto rounded-md bg-sunken p-3"
        >
          <Markdown text={text} />
        </div>
      )}
    </div>
  );
}

function Shown({ entry, text, kind, isCut }: TextProps & { kind: FileKind; isCut: boolean }) {
  const label = `Content of ${entry.name}`;
  if (kind.kind === 'markdown') return <MarkdownText entry={entry} text={text} />;
  if (kind.kind === 'diff') return <DiffView diff={text} label={label} className="max-h-[60vh]" />;
  const language = kind.kind === 'code' ? kind.language : undefined;
  return (
    <CodeBlock
      code={language === 'json' && !isCut ? pretty(text) : text}
      language={language}
      label={label}
      className="max-h-[60vh] whitespace-pre-wrap"
    />
  );
}

function TextPreview({ entry, kind }: { entry: FsEntry; kind: FileKind }) {
  const { data, error } = useText(entry);
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  if (data.includes('\0')) return <NotShown>This file is not a text. Download it to open it.</NotShown>;
  const isCut = (entry.size ?? 0) > maxPreviewBytes;
  return (
    <div>
      <Shown entry={entry} text={data} kind={kind} isCut={isCut} />
      {isCut ? (
        <p className="mt-2 text-sm text-soft">
          Only the first {fileSize(maxPreviewBytes)} of {fileSize(entry.size ?? 0)} are shown. Download the
          file to see everything.
        </p>
      ) : null}
    </div>
  );
}

export function FileContent({ entry }: { entry: FsEntry }) {
  const kind = fileKind(entry.name, entry.mimeType);
  switch (kind.kind) {
    case 'image':
      return <FileImage key={entry.hash} entry={entry} />;
    case 'pdf':
      return (
        <NotShown>
          A PDF is not shown in the console, because its security policy allows no embedded documents.
          Download it to open it.
        </NotShown>
      );
    case 'none': {
      const type = (entry.mimeType ?? '').split(';')[0]?.trim() ?? '';
      return <NotShown>{`A ${type || 'binary'} file has no preview. Download it to open it.`}</NotShown>;
    }
    default:
      return <TextPreview entry={entry} kind={kind} />;
  }
}
