/** The content of a file, if it can be shown safely. */
import { useQuery } from '@tanstack/react-query';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { FileImage } from './file-image.tsx';
import { fileSize } from './file-size.ts';

const maxPreviewBytes = 512 * 1024;

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

function TextPreview({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const { data, error } = useQuery({
    queryKey: ['fileText', entry.path, entry.hash],
    queryFn: async () => {
      const reply = await transport.send({
        method: 'GET',
        url: transport.fileUrl(entry.path),
        headers: { range: `bytes=0-${maxPreviewBytes - 1}` },
      });
      const text = await reply.text();
      if (reply.status !== 200 && reply.status !== 206 && reply.status !== 416)
        throw new Error(`the broker answered ${reply.status}`);
      return reply.status === 416 ? '' : text;
    },
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  const isCut = (entry.size ?? 0) > maxPreviewBytes;
  const isMarkdown = entry.mimeType?.startsWith('text/markdown') || entry.name.endsWith('.md');
  return (
    <div
      {...scrollable(`Content of ${entry.name}`)}
      className="max-h-96 overflow-auto rounded-md bg-sunken p-3"
    >
      {isMarkdown ? (
        <Markdown text={data} />
      ) : (
        <pre className="font-mono text-sm break-words whitespace-pre-wrap">{pretty(entry, data, isCut)}</pre>
      )}
      {isCut ? (
        <p className="mt-2 text-sm text-soft">Only the first {fileSize(maxPreviewBytes)} are shown.</p>
      ) : null}
    </div>
  );
}

function pretty({ mimeType }: FsEntry, text: string, isCut: boolean): string {
  if (isCut || !mimeType?.startsWith('application/json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function FileContent({ entry }: { entry: FsEntry }) {
  const type = (entry.mimeType ?? '').split(';')[0]?.trim() ?? '';
  if (images.includes(type)) return <FileImage key={entry.hash} entry={entry} />;
  if (type.startsWith('text/') || type === 'application/json') return <TextPreview entry={entry} />;
  return (
    <p className="rounded-md bg-sunken p-4 text-soft">
      A {type || 'binary'} file has no preview. Download it to open it.
    </p>
  );
}
