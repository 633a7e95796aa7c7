/** The attachments of a message, with their progress. */
import { X } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import type { Attached } from './attachments.ts';

export function AttachedFiles({
  files,
  onRemove,
}: {
  files: readonly Attached[];
  onRemove: (id: Attached['id']) => void;
}) {
  if (files.length === 0) return null;
  return (
    <ul className="mb-2 flex flex-wrap gap-1.5" aria-label="Attached files">
      {files.map(({ id, name, progress, path, error }) => (
        <li key={id} className="flex h-8 items-center gap-2 rounded-md border border-line pl-2 text-sm">
          <span className="max-w-44 truncate">{name}</span>
          {error !== null ? <span className="text-critical">{error}</span> : null}
          {path === null && error === null ? (
            <progress aria-label={`Uploading ${name}`} value={progress} className="h-1.5 w-16" />
          ) : null}
          <IconButton label={`Remove ${name}`} onClick={() => onRemove(id)}>
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
