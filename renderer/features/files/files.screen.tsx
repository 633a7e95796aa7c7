/** Files: homes and what was shared, uploads by drag, previews, and who may read what. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { File as FileIcon, Folder, FolderPlus, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay, useSelf } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, FormError, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { fileSize } from './file-size.ts';
import { FileDialog } from './preview.tsx';
import { UploadList, useUploads } from './uploads.tsx';

function Breadcrumbs({ path }: { path: string }) {
  const segments = path.split('/').filter(Boolean);
  return (
    <nav aria-label="Path" className="flex min-w-0 flex-wrap items-center gap-1 text-soft">
      <Link to="/app/files" search={{ path: '/' }} className="hover:text-text">
        All homes
      </Link>
      {segments.map((segment, index) => {
        const to = `/${segments.slice(0, index + 1).join('/')}`;
        return (
          <span key={to} className="flex min-w-0 items-center gap-1">
            <span aria-hidden="true">/</span>
            <Link
              to="/app/files"
              search={{ path: to }}
              aria-current={index === segments.length - 1 ? 'page' : undefined}
              className={cx(
                'truncate hover:text-text',
                index === segments.length - 1 && 'font-semibold text-text',
              )}
            >
              {segment}
            </Link>
          </span>
        );
      })}
    </nav>
  );
}

function EntryList({ entries, onOpen }: { entries: readonly FsEntry[]; onOpen: (entry: FsEntry) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 41,
    overscan: 8,
  });
  return (
    <div ref={scroller} className="h-full overflow-y-auto">
      <ul aria-label="Files" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const entry = entries[item.index];
          if (entry === undefined) return null;
          return (
            <li
              key={entry.path}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <button
                type="button"
                onClick={() => onOpen(entry)}
                className="flex h-10.25 w-full items-center gap-3 border-b border-line bg-surface px-4 text-left hover:bg-hover"
              >
                {entry.kind === 'directory' ? (
                  <Folder className="size-4 text-accent" />
                ) : (
                  <FileIcon className="size-4 text-faint" />
                )}
                <span className="min-w-0 flex-1 truncate">{entry.name}</span>
                <span className="w-32 truncate text-right text-sm text-soft max-sm:hidden">
                  {entry.owner}
                </span>
                <span className="w-24 text-right text-sm text-soft tabular-nums">
                  {entry.size === null ? '' : fileSize(entry.size)}
                </span>
                <span className="w-28 text-right text-sm text-faint max-md:hidden">
                  <Time at={entry.updatedAt} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function MakeFolder({ directory, onClose }: { directory: string; onClose: () => void }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: () => client.call('makeDirectory', { body: { path: `${directory}/${name}` } }),
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries({ queryKey: ['files'] });
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <Field label="Name">
        <TextInput value={name} onChange={(event) => setName(event.target.value)} required />
      </Field>
      <FormError error={make.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          Make folder
        </Button>
      </div>
    </form>
  );
}

export function FilesScreen() {
  const self = useSelf().member;
  const isManager = useMay('members.manage');
  const { path = `/${self}`, file, shared = false } = useSearch({ from: '/app/files' });
  const navigate = useNavigate({ from: '/app/files' });
  const { client } = useBroker();
  const { data, error, refetch } = useQuery({
    queryKey: shared ? keys.sharedFiles : keys.files(path),
    queryFn: () => (shared ? client.call('sharedFiles', {}) : client.call('listFiles', { query: { path } })),
  });
  const { uploads, add, remove } = useUploads(path);
  const [isMaking, setMaking] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const isOwn = path === `/${self}` || path.startsWith(`/${self}/`);
  const mayWrite = !shared && path !== '/' && (isOwn || isManager);
  const open = (entry: FsEntry) =>
    void navigate({
      search:
        entry.kind === 'directory'
          ? { path: entry.path }
          : { path, file: entry.path, ...(shared && { shared }) },
    });
  // A folder that is gone is not shown from before.
  const isGone = error instanceof BrokerError && error.status < 500;
  const isOff = error instanceof BrokerError && error.status === 404 && error.message.includes('files block');
  return (
    <Page
      title="Files"
      actions={
        mayWrite ? (
          <>
            <input
              ref={chooser}
              type="file"
              multiple
              className="hidden"
              onChange={(event) => {
                add(event.target.files ?? []);
                event.target.value = '';
              }}
            />
            <Button onClick={() => setMaking(true)}>
              <FolderPlus className="size-4" />
              New folder
            </Button>
            <Button look="primary" onClick={() => chooser.current?.click()}>
              <Upload className="size-4" />
              Upload
            </Button>
          </>
        ) : null
      }
      toolbar={
        <>
          <div className="flex gap-1">
            <Link
              to="/app/files"
              search={{}}
              className={cx(
                'inline-flex h-7 items-center rounded-md px-2 text-sm',
                !shared ? 'bg-selected font-medium' : 'text-soft hover:bg-hover',
              )}
            >
              Homes
            </Link>
            <Link
              to="/app/files"
              search={{ shared: true }}
              className={cx(
                'inline-flex h-7 items-center rounded-md px-2 text-sm',
                shared ? 'bg-selected font-medium' : 'text-soft hover:bg-hover',
              )}
            >
              Shared with you
            </Link>
          </div>
          {shared ? null : (
            <>
              <span aria-hidden="true" className="h-5 w-px bg-line-strong max-sm:hidden" />
              <Breadcrumbs path={path} />
            </>
          )}
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an addition to the button */}
      <div
        className="flex h-full flex-col"
        onDragOver={(event) => mayWrite && event.preventDefault()}
        onDrop={(event) => {
          if (!mayWrite) return;
          event.preventDefault();
          add(event.dataTransfer.files);
        }}
      >
        <UploadList uploads={uploads} onRemove={remove} />
        {isOff ? (
          <EmptyState title="This broker keeps no files">
            Its configuration has no files block: add one with a root folder, and start it again.
          </EmptyState>
        ) : error !== null && (data === undefined || isGone) ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <ListSkeleton />
        ) : data.entries.length === 0 ? (
          <EmptyState icon={<Folder />} title={shared ? 'Nothing was shared with you' : 'Nothing here yet'}>
            {shared
              ? 'A file that somebody attaches to a message or an objective for you appears here.'
              : mayWrite
                ? 'Drop files here, or upload them. Nobody else reads them until you attach them to a message.'
                : 'This folder is empty.'}
          </EmptyState>
        ) : (
          <div className="min-h-0 flex-1">
            <EntryList entries={data.entries} onOpen={open} />
          </div>
        )}
      </div>
      {file === undefined ? null : (
        <FileDialog
          key={file}
          path={file}
          onClose={(movedTo) =>
            void navigate({
              search: { path, ...(shared && { shared }), ...(movedTo !== undefined && { file: movedTo }) },
            })
          }
        />
      )}
      <Dialog isOpen={isMaking} onClose={() => setMaking(false)} title="New folder" description={path}>
        <MakeFolder directory={path} onClose={() => setMaking(false)} />
      </Dialog>
    </Page>
  );
}
