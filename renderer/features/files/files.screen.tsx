/** Files: homes and shared files, uploads by drag, previews, and who may read what. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderPlus, Trash2, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { relationsToPath } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useFileChooser } from '../../ui/file-chooser.tsx';
import { useClosingLayer } from '../../ui/layers.ts';
import { neighborOf } from '../../ui/neighbor.rules.ts';
import { Page } from '../../ui/page.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { FileRemoval } from './file-removal.tsx';
import { FolderContent } from './folder-content.tsx';
import { FolderForm } from './folder-form.tsx';
import { FolderRemoval } from './folder-removal.tsx';
import { FileDialog } from './preview.tsx';
import { UploadList, useUploads } from './uploads.tsx';

/** The tabs for the homes and the shared files. */
function SpaceTabs({ isShared }: { isShared: boolean }) {
  const tabClass = (isCurrent: boolean) =>
    cx(
      'inline-flex h-7 items-center rounded-md px-2 text-sm',
      isCurrent ? 'bg-selected font-medium' : 'text-soft hover:bg-hover',
    );
  return (
    <div className="flex gap-1">
      <Link to="/app/files" search={{}} className={tabClass(!isShared)}>
        Homes
      </Link>
      <Link to="/app/files" search={{ shared: true }} className={tabClass(isShared)}>
        Shared with you
      </Link>
    </div>
  );
}

export function FilesScreen() {
  const self = useSelf().member;
  const { path = `/${self}`, file, shared = false, by, down } = useSearch({ from: '/app/files' });
  const navigate = useNavigate({ from: '/app/files' });
  const { uploads, add, remove } = useUploads(path);
  const [isMaking, setMaking] = useState(false);
  const chooser = useFileChooser(add);
  const mayWriteHere = useMay('writeFile', relationsToPath(path, self));
  const mayWrite = !shared && path !== '/' && mayWriteHere;
  const isHome = path.lastIndexOf('/') === 0;
  const content = useRef<HTMLDivElement>(null);
  /** The entry that the question is about. */
  const [removing, setRemoving] = useState<Pick<FsEntry, 'path' | 'kind'> | null>(null);
  /** Returns an entry that stays when this one is deleted, or else the place of the entries. */
  function besideEntry(leaving: string | null): HTMLElement | null {
    const links = [...(content.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])];
    return neighborOf(links, (link) => link.dataset.entry === leaving) ?? content.current;
  }
  const close = useClosingLayer();
  const folder = { path, by, down, ...(shared && { shared }) };
  const closeFile = (movedTo?: string) =>
    movedTo === undefined
      ? close(() => void navigate({ search: folder, replace: true }))
      : void navigate({ search: { ...folder, file: movedTo }, state: (before) => before, replace: true });
  return (
    <Page
      title="Files"
      actions={
        mayWrite ? (
          <>
            {chooser.input}
            {isHome ? null : (
              <Button look="danger" onClick={() => setRemoving({ path, kind: 'directory' })}>
                <Trash2 className="size-4" />
                Delete folder
              </Button>
            )}
            <Button onClick={() => setMaking(true)}>
              <FolderPlus className="size-4" />
              New folder
            </Button>
            <Button look="primary" onClick={() => chooser.choose()}>
              <Upload className="size-4" />
              Upload
            </Button>
          </>
        ) : null
      }
      toolbar={
        <>
          <SpaceTabs isShared={shared} />
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
        ref={content}
        tabIndex={-1}
        className="flex h-full flex-col outline-none"
        onDragOver={(event) => mayWrite && event.preventDefault()}
        onDrop={(event) => {
          if (!mayWrite) return;
          event.preventDefault();
          add(event.dataTransfer.files);
        }}
      >
        <UploadList uploads={uploads} onRemove={remove} />
        <FolderContent path={path} isShared={shared} mayWrite={mayWrite} onRemove={setRemoving} />
      </div>
      {file === undefined ? null : (
        <FileDialog key={file} path={file} onClose={closeFile} focusAfter={() => besideEntry(file)} />
      )}
      {removing?.kind === 'directory' ? (
        <FolderRemoval
          path={removing.path}
          onClose={() => setRemoving(null)}
          onStart={() => {
            const parent = path.slice(0, path.lastIndexOf('/'));
            if (removing.path === path) void navigate({ search: { path: parent }, replace: true });
          }}
          focusAfter={() => besideEntry(removing.path)}
        />
      ) : null}
      {removing?.kind === 'file' ? (
        <FileRemoval
          path={removing.path}
          onClose={() => setRemoving(null)}
          onRemoved={() => setRemoving(null)}
          focusAfter={() => besideEntry(removing.path)}
        />
      ) : null}
      <Dialog isOpen={isMaking} onClose={() => setMaking(false)} title="New folder" description={path}>
        <FolderForm directory={path} onClose={() => setMaking(false)} />
      </Dialog>
    </Page>
  );
}
