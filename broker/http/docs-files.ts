/**
 * The documentation at `/docs`: built into one folder, and read at the first request for it, because most brokers never serve it. No other path is
 * looked up, so none can escape the folder (specification/api.md#pages).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { type ConsoleFiles, readConsoleFiles, sendFile } from './console-files.ts';
import { sendWhole } from './send-whole.ts';

const root = '/docs';

/** Adds the routes. They need no credential, because the documentation is public. */
export function addDocsFiles(app: FastifyInstance, folder: string | undefined): void {
  let files: Promise<ConsoleFiles> | undefined;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (folder === undefined) return refuse('unknown_path');
    files ??= readConsoleFiles(folder).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    const present = await files;
    const [path = ''] = request.url.slice(root.length).split('?');
    const file = present.find(path === '' || path.endsWith('/') ? `${path || '/'}index.html` : path);
    if (file === undefined) return refuse('unknown_path');
    // Relative addresses and the links of the site begin below the folder.
    if (path === '') {
      sendWhole(reply.header('location', `${root}/`), 308, '');
      return reply;
    }
    const isHashed = path.startsWith('/assets/');
    return sendFile(request, reply, file, isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  };
  for (const url of [root, `${root}/*`]) app.route({ method: ['GET', 'HEAD'], url, handler });
}
