/** The files of a message. Each opens over the thread, and images show in it. */
import { Link } from '@tanstack/react-router';
import { Paperclip } from 'lucide-react';
import { cx } from '../../ui/class-names.ts';
import { openingLayer } from '../../ui/layers.ts';
import { AttachmentThumbnail, isImagePath } from './attachment-thumbnail.tsx';

export function MessageAttachments({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="mt-1 flex flex-wrap items-end gap-1.5">
      {paths.map((path) => (
        <li key={path} className="max-w-full">
          <Link
            to="."
            search={(search) => ({ ...search, file: path })}
            {...openingLayer}
            className={cx(
              'block max-w-full overflow-hidden rounded-md border border-line bg-surface text-sm hover:border-line-strong',
              isImagePath(path) && 'w-fit',
            )}
          >
            {isImagePath(path) ? <AttachmentThumbnail path={path} /> : null}
            <span className="flex h-7 max-w-48 items-center gap-1.5 px-2 [&_svg]:size-3.5 [&_svg]:shrink-0">
              <Paperclip />
              <span className="truncate">{path.slice(path.lastIndexOf('/') + 1)}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
