/** The filesystem: paths, entries, requests, and replies (specification/files.md). */
import { z } from 'zod';
import { hasHiddenSign, hiddenSignFault } from './hidden-signs.ts';
import { queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';

const utf8 = new TextEncoder();

function segmentFault(segment: string): string | null {
  if (segment === '') return 'must not have an empty segment';
  if (segment === '.' || segment === '..') return 'must not have "." or ".." as a segment';
  return utf8.encode(segment).length > limits.fsPath.segmentBytes
    ? `must have segments of at most ${limits.fsPath.segmentBytes} bytes`
    : null;
}

/** Returns what is wrong with a path whose trailing slash is removed; null if nothing is. */
function pathFault(path: string): string | null {
  const { characters } = limits.fsPath;
  if (!path.startsWith('/')) return 'must be absolute: start it with "/"';
  // A character has at most two UTF-16 units, so longer text is never walked.
  if (path.length > 2 * characters || [...path].length > characters)
    return `must be at most ${characters} characters`;
  if (!path.isWellFormed()) return 'must be well-formed Unicode';
  if (/[\\\p{Cc}]/u.test(path)) return 'must not have a backslash or a control character';
  if (path.normalize('NFC') !== path) return 'must be in Unicode normal form C';
  if (path === '/') return null;
  for (const segment of path.slice(1).split('/')) {
    const fault = segmentFault(segment);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * An absolute path, parsed once: without its trailing slash, every segment a plain name
 * (specification/files.md#paths).
 */
export const FsPath = z
  .string()
  .transform((written, context) => {
    const path = /[^/]\/$/.test(written) ? written.slice(0, -1) : written;
    const fault = pathFault(path);
    if (fault === null) return path;
    context.addIssue({ code: 'custom', message: fault, input: written });
    return z.NEVER;
  })
  .brand<'FsPath'>()
  .meta({ description: 'an absolute path', examples: ['/ada/notes/plan.md'] });
export type FsPath = z.infer<typeof FsPath>;

/** The path of something new. An entry that is stored under an older path stays readable, and can be moved away. */
const NewFsPath = FsPath.refine((path) => !hasHiddenSign(path), hiddenSignFault).meta({
  description: 'an absolute path',
  examples: ['/ada/notes/plan.md'],
});

const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const mimePattern = new RegExp(`^${token}/${token}(?: *; *${token}=(?:${token}|"[ !#-[\\]-~]*"))*$`);

/** A media type with its parameters, suitable for a Content-Type header. */
export const MimeType = z
  .string()
  .max(limits.mimeType, `must be at most ${limits.mimeType} characters`)
  .regex(mimePattern, 'must be a MIME type such as text/plain');

export const FsEntry = z
  .object({
    path: z.string(),
    name: z.string(),
    kind: z.enum(['file', 'directory']),
    owner: z.string(),
    size: z.int().nonnegative().nullable(),
    mimeType: z.string().nullable(),
    hash: z.string().nullable().meta({ description: 'SHA-256 in hex' }),
    createdAt: Timestamp,
    createdBy: z.string(),
    updatedAt: Timestamp,
  })
  .meta({ id: 'FsEntry' });
export type FsEntry = z.infer<typeof FsEntry>;

export const FsEntryResponse = z.object({ entry: FsEntry }).meta({ id: 'FsEntryResponse' });
export const FsEntryList = z.object({ entries: z.array(FsEntry) }).meta({ id: 'FsEntryList' });
export type FsEntryList = z.infer<typeof FsEntryList>;

export const FsPathQuery = z.object({ path: FsPath });

/** With `limit`, at most that many entries, after the one with the path `after`. */
export const FsListQuery = FsPathQuery.extend({
  limit: queryInteger(1, limits.fsListMax).optional(),
  after: FsPath.optional(),
});
export type FsListQuery = z.infer<typeof FsListQuery>;

/** With `limit`, at most that many files, after the one with the path `after`. */
export const FsSharedQuery = FsListQuery.omit({ path: true });
export type FsSharedQuery = z.infer<typeof FsSharedQuery>;

/** Each word of `q` is in the name, in upper or lower case. */
export const FsFindQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(limits.fsFind.query, `must be at most ${limits.fsFind.query} characters`),
  limit: queryInteger(1, limits.fsFind.pageMax).default(limits.fsFind.pageDefault),
  after: FsPath.optional(),
});
export type FsFindQuery = z.infer<typeof FsFindQuery>;

/** `next`: the path after which the search goes on, null at its end. A page may be empty before the end. */
export const FsFound = z
  .object({ entries: z.array(FsEntry), next: z.string().nullable() })
  .meta({ id: 'FsFound' });
export type FsFound = z.infer<typeof FsFound>;

/** The rest of the address: the path, with each segment URL-encoded separately. */
export const FsReadParams = z.object({ '*': z.string() });

export const collisions = ['error', 'overwrite', 'suffix'] as const;
export type Collision = (typeof collisions)[number];

/** `mime` defaults to the request's content type. */
export const FsWriteQuery = z.object({
  path: NewFsPath,
  mime: MimeType.optional(),
  collide: z.enum(collisions).default('error'),
});
export type FsWriteQuery = z.infer<typeof FsWriteQuery>;
export const FsWritten = z.object({ entry: FsEntry, renamed: z.boolean() }).meta({ id: 'FsWritten' });
export type FsWritten = z.infer<typeof FsWritten>;

export const FsMakeDirectory = z
  .object({ path: NewFsPath, recursive: z.boolean().default(false) })
  .meta({ id: 'FsMakeDirectory' });
export type FsMakeDirectory = z.infer<typeof FsMakeDirectory>;

export const FsRemoveQuery = z.object({
  path: FsPath,
  recursive: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .meta({ type: 'boolean' }),
});
export type FsRemoveQuery = z.infer<typeof FsRemoveQuery>;

export const FsMove = z.object({ from: FsPath, to: NewFsPath }).meta({ id: 'FsMove' });
export type FsMove = z.infer<typeof FsMove>;

/** The members who may read a file, each with the attachment that allows it. */
export const FsGrants = z
  .object({
    path: z.string(),
    grants: z.array(
      z.object({
        member: z.string(),
        messageId: z.string().nullable(),
        objectiveId: z.string().nullable(),
        grantedAt: Timestamp,
      }),
    ),
  })
  .meta({ id: 'FsGrants' });
export type FsGrants = z.infer<typeof FsGrants>;
