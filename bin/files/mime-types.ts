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

function isText(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false;
  try {
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** A file with another extension, such as source code, is text if its beginning is UTF-8 without NUL. */
export function mimeTypeOf(name: string, beginning: Uint8Array): string {
  const extension = extname(name).toLowerCase();
  if (Object.hasOwn(typeByExtension, extension)) return typeByExtension[extension] ?? '';
  return isText(beginning) ? 'text/plain' : 'application/octet-stream';
}
