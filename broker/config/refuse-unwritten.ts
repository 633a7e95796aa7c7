import { basename } from 'node:path';
import { codeText } from '#platform/error-text.ts';
import { MountedFileError } from '#platform/mounted-file.ts';
import { refuse } from '#protocol/errors.ts';

/** Refuses a change with `unavailable` because a file of the configuration cannot be written. `file`: its name in a sentence. */
export function refuseUnwritten(file: 'configuration' | 'platform', path: string, error: unknown): never {
  const cause = codeText(error);
  if (error instanceof MountedFileError)
    refuse('configuration_mounted', { file, cause, name: basename(path) });
  refuse('configuration_unwritable', { file, cause });
}
