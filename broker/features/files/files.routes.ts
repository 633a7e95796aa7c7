import { refuse } from '#protocol/errors.ts';
import { FsPath } from '#protocol/files.ts';
import { longArray } from '../../http/json-list.ts';
import { JsonReply } from '../../http/json-reply.ts';
import type { Handlers } from '../../http/route.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import type { Files } from './files.service.ts';

const readPrefix = '/fs/read';

/**
 * Uses the address as received: once it is decoded, a slash inside a segment could not be told from one
 * between two (specification/files.md#paths).
 */
function pathOfAddress(url: string): FsPath {
  const address = url.slice(readPrefix.length).split(/[?#]/)[0] ?? '';
  const segments = address.split('/').map((segment) => decodeURIComponent(segment));
  if (segments.some((segment) => segment.includes('/')))
    refuse('invalid_request', {
      place: 'path',
      issue: 'must not have an encoded slash; encode each segment separately',
    });
  const parsed = FsPath.safeParse(segments.join('/'));
  if (!parsed.success)
    refuse(
      'invalid_request',
      { place: 'path', issue: parsed.error.issues[0]?.message ?? 'is not a path' },
      { details: parsed.error.issues },
    );
  return parsed.data;
}

const sizeOf = (contentLength: string | undefined): number | null =>
  contentLength === undefined ? null : Number(contentLength);

export const fileRoutes = (files: Files) =>
  ({
    listFiles: async ({ actor, query }) => {
      const list = await files.list(actor, query);
      return 'entries' in list ? list : new JsonReply(longArray('{"entries":', list));
    },
    statFile: ({ actor, query }) => files.stat(actor, query.path),
    readFile: async ({ actor, url, headers, reply }) => {
      const { entry, content, ...kind } = await files.read(actor, pathOfAddress(url));
      await sendBytes(reply, headers, { name: entry.name, size: entry.size ?? 0, ...kind, ...content });
      return undefined;
    },
    writeFile: ({ actor, query, headers, upload, confirm }) =>
      files.write(actor, query, {
        body: upload,
        confirm,
        contentType: headers['content-type'],
        declaredSize: sizeOf(headers['content-length']),
      }),
    makeDirectory: ({ actor, body }) => files.makeDirectory(actor, body),
    removeFile: async ({ actor, query }) => {
      await files.remove(actor, query);
      return undefined;
    },
    moveFile: ({ actor, body }) => files.move(actor, body),
    sharedFiles: ({ actor, query }) => new JsonReply(longArray('{"entries":', files.shared(actor, query))),
    findFiles: ({ actor, query }) => files.find(actor, query),
    fileGrants: ({ actor, query }) => files.grants(actor, query.path),
  }) satisfies Handlers;
