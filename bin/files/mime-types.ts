/** MIME types by file extension: the few that a reader or a browser treats specially. */
import { extname } from 'node:path';

const typeByExtension: Record<string, string> = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.ts': 'text/plain',
  '.diff': 'text/x-diff',
  '.patch': 'text/x-diff',
  '.yaml': 'text/yaml',
  '.yml': 'text/yaml',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.svg': 'image/svg+xml',
};

/** `application/octet-stream` for unknown ones. */
export function mimeTypeOf(name: string): string {
  const extension = extname(name).toLowerCase();
  return Object.hasOwn(typeByExtension, extension)
    ? (typeByExtension[extension] ?? '')
    : 'application/octet-stream';
}
