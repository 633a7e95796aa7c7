/** Files: homes and shared files, uploads by drag, previews, and who may read what. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderPlus, Upload } from 'lucide-react';
import { useState } from 'react';
import { relationsToPath } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useFileChooser } from '../../ui/file-chooser.tsx';
import { useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { FolderContent } from './folder-content.tsx';
import { FolderForm } from './folder-form.tsx';
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
  const { path = `/${self}`, file, shared = false } = useSearch({ from: '/app/files' });
  const navigate = useNavigate({ from: '/app/files' });
  const { uploads, add, remove } = useUploads(path);
  const [isMaking, setMaking] = useState(false);
  const chooser = useFileChooser(add);
  const mayWriteHere = useMay('writeFile', relationsToPath(path, self));
  const mayWrite = !shared && path !== '/' && mayWriteHere;
  const close = useClosingLayer();
  const folder = { path, ...(shared && { shared }) };
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
        className="flex h-full flex-col"
        onDragOver={(event) => mayWrite && event.preventDefault()}
        onDrop={(event) => {
          if (!mayWrite) return;
          event.preventDefault();
          add(event.dataTransfer.files);
        }}
      >
        <UploadList uploads={uploads} onRemove={remove} />
        <FolderContent path={path} isShared={shared} mayWrite={mayWrite} />
      </div>
      {file === undefined ? null : <FileDialog key={file} path={file} onClose={closeFile} />}
      <Dialog isOpen={isMaking} onClose={() => setMaking(false)} title="New folder" description={path}>
        <FolderForm directory={path} onClose={() => setMaking(false)} />
      </Dialog>
    </Page>
  );
}
