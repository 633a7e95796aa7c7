/**
 * The rules of access to a path (specification/files.md#access). Separate from the schemas, because store
 * threads decide by it and start faster without zod.
 */
import type { Rule } from './access.ts';

/**
 * `owner`: the path is in the caller's own home. `reader`: a grant covers the file, or the directory leads to
 * one that is covered.
 */
export const fileRules = {
  read: ['owner', 'reader', 'members.manage'],
  write: ['owner', 'members.manage'],
} as const satisfies Record<string, Rule>;
