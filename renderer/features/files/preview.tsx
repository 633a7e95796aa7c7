/** A file: what is in it where that can be shown safely, who may read it and why, and what can be done with it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay, useSelf } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { ErrorState, FormError, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { fileSize } from './file-size.ts';

const shownBytes = 512 * 1024;
const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

function TextPreview({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const { data, error } = useQuery({
    queryKey: ['fileText', entry.path, entry.hash],
    queryFn: async () => {
      const reply = await transport.send({
        method: 'GET',
        url: transport.fileUrl(entry.path),
        headers: { range: `bytes=0-${shownBytes - 1}` },
      });
      const text = await reply.text();
      if (reply.status !== 200 && reply.status !== 206 && reply.status !== 416)
        throw new Error(`the broker answered ${reply.status}`);
      return reply.status === 416 ? '' : text;
    },
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  const isCut = (entry.size ?? 0) > shownBytes;
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
        <p className="mt-2 text-sm text-soft">Only the first {fileSize(shownBytes)} are shown.</p>
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

function Content({ entry }: { entry: FsEntry }) {
  const { transport } = useBroker();
  const type = (entry.mimeType ?? '').split(';')[0]?.trim() ?? '';
  if (images.includes(type))
    return (
      <img
        key={entry.hash}
        src={transport.fileUrl(entry.path)}
        alt={entry.name}
        className="max-h-96 max-w-full self-center rounded-md object-contain"
      />
    );
  if (type.startsWith('text/') || type === 'application/json') return <TextPreview entry={entry} />;
  return (
    <p className="rounded-md bg-sunken p-4 text-soft">
      A {type || 'binary'} file has no preview. Download it to open it.
    </p>
  );
}

function Readers({ path }: { path: string }) {
  const { client } = useBroker();
  const { data, error } = useQuery({
    queryKey: keys.fileGrants(path),
    queryFn: () => client.call('fileGrants', { query: { path } }),
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton className="h-6 w-48" />;
  if (data.grants.length === 0) return <p className="text-soft">Only its owner and managers.</p>;
  return (
    <ul className="text-sm">
      {data.grants.map(({ member, messageId, objectiveId, grantedAt }) => (
        <li
          key={`${member}-${messageId}-${objectiveId}`}
          className="flex flex-wrap justify-between gap-2 py-0.5"
        >
          <span className="font-medium">{member}</span>
          <span className="text-soft">
            {objectiveId === null ? 'attached to a message' : `attached to ${objectiveId}`},{' '}
            <Time at={grantedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function MoveForm({ entry, onClose }: { entry: FsEntry; onClose: (path?: string) => void }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [to, setTo] = useState(entry.path);
  const move = useMutation({
    mutationFn: () => client.call('moveFile', { body: { from: entry.path, to } }),
    onSuccess: async ({ entry: moved }) => {
      await cache.invalidateQueries({ queryKey: ['files'] });
      onClose(moved.path);
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        move.mutate();
      }}
    >
      <Field label="New path" hint="Who may read it stays as it is.">
        <TextInput
          value={to}
          onChange={(event) => setTo(event.target.value)}
          required
          className="font-mono"
        />
      </Field>
      <FormError error={move.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={() => onClose()}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={move.isPending} disabled={to === entry.path}>
          Move
        </Button>
      </div>
    </form>
  );
}

export function FileDialog({ path, onClose }: { path: string; onClose: (movedTo?: string) => void }) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const self = useSelf().member;
  const isManager = useMay('members.manage');
  const [act, setAct] = useState<'move' | 'remove' | null>(null);
  const { data, error } = useQuery({
    queryKey: ['files', 'entry', path],
    queryFn: () => client.call('statFile', { query: { path } }),
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: () => client.call('removeFile', { query: { path } }),
    onSuccess: async () => {
      setAct(null);
      onClose();
      await cache.invalidateQueries({ queryKey: ['files'] });
    },
  });
  // A file that is gone, or no longer for one's eyes, is not shown from before.
  const entry = error instanceof BrokerError && error.status < 500 ? undefined : data?.entry;
  const holds = entry !== undefined && (isManager || entry.owner === self);
  return (
    <Dialog isOpen onClose={() => onClose()} title={entry?.name ?? path} wide>
      {entry === undefined ? (
        error === null ? (
          <Skeleton className="h-40 w-full" />
        ) : (
          <ErrorState error={error} />
        )
      ) : act === 'move' ? (
        <MoveForm entry={entry} onClose={(to) => (to === undefined ? setAct(null) : onClose(to))} />
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-sm break-words text-soft">
            <span className="font-mono">{entry.path}</span> · {fileSize(entry.size ?? 0)} · {entry.mimeType} ·
            changed <Time at={entry.updatedAt} />
          </p>
          <Content entry={entry} />
          {holds ? (
            <section aria-label="Who may read it">
              <h3 className="mb-1 font-semibold">Who may read it, and why</h3>
              <Readers path={path} />
            </section>
          ) : null}
          <div className="flex flex-wrap gap-2 border-t border-line pt-4">
            <a
              href={transport.fileUrl(path)}
              download={entry.name}
              className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong px-3 font-medium hover:bg-hover"
            >
              <Download className="size-4" />
              Download
            </a>
            {holds ? (
              <>
                <Button onClick={() => setAct('move')}>Move or rename</Button>
                <Button look="danger" onClick={() => setAct('remove')}>
                  Delete {entry.name}
                </Button>
              </>
            ) : null}
          </div>
          <Confirm
            isOpen={act === 'remove'}
            onClose={() => {
              setAct(null);
              if (remove.isError) remove.reset();
            }}
            title={`Delete ${entry.name}?`}
            consequence="It is gone for everybody it was shared with. This cannot be undone."
            act={`Delete ${entry.name}`}
            isBusy={remove.isPending}
            onConfirm={() => remove.mutate()}
          >
            <FormError error={remove.error} />
          </Confirm>
        </div>
      )}
    </Dialog>
  );
}
