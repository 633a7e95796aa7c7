/**
 * The console's page and files: built by Vite into one folder, read once, and served with a strict policy.
 * Pages are at `/`, `/app/*`, `/setup`, and `/enroll`; files at `/assets/*`, `/sw.js`, and
 * `/manifest.webmanifest`. No other path is looked up, so none can escape the folder
 * (specification/api.md#pages).
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codeOf } from '#platform/error-text.ts';
import { refuse } from '#protocol/errors.ts';
import { commonHeaders } from './response-headers.ts';
import { sendWhole } from './send-whole.ts';

/** Strict on purpose: scripts, styles, and connections of this origin only, nothing inline, and no frames. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const typeByExtension: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
};

type Encoding = 'br' | 'gzip';

interface ConsoleFile {
  type: string;
  bytes: Buffer;
  etag: string;
  /** Created at the first request that accepts it. */
  compressed: Partial<Record<Encoding, Promise<Buffer>>>;
}

export interface ConsoleFiles {
  /** By address: `/assets/index-abc.js`. */
  find(path: string): ConsoleFile | undefined;
}

const isCompressible = (type: string): boolean => /^text\/|svg|json|manifest/.test(type);
const isPage = (path: string): boolean =>
  path === '/' || path === '/app' || path.startsWith('/app/') || path === '/setup' || path === '/enroll';
const isFile = (path: string): boolean =>
  path.startsWith('/assets/') || path === '/sw.js' || path === '/manifest.webmanifest';

/** Reads the built console or documentation; an empty set if it was not built. */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const fileByPath = new Map<string, ConsoleFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const name = join(entry.parentPath, entry.name);
    const bytes = await readFile(name);
    const type = typeByExtension[extname(name)] ?? 'application/octet-stream';
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    fileByPath.set(`/${relative(folder, name).split(sep).join('/')}`, { type, bytes, etag, compressed: {} });
  }
  return { find: (path) => fileByPath.get(path) };
}

function encodingFor(accepted: string | undefined, { type }: ConsoleFile): Encoding | null {
  if (accepted === undefined || !isCompressible(type)) return null;
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
}

function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes, { level: 9 });
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
}

function compressed(file: ConsoleFile, encoding: Encoding): Promise<Buffer> {
  file.compressed[encoding] ??= compress(file.bytes, encoding);
  return file.compressed[encoding];
}

/** `cache`: its Cache-Control. */
const headersOf = ({ type, etag }: ConsoleFile, cache: string): Record<string, string> => ({
  ...commonHeaders,
  'content-type': type,
  'cache-control': cache,
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'x-frame-options': 'DENY',
  vary: 'accept-encoding',
  etag,
});

/** Returns a page or a built file with its headers; null if there is none. `path`: without a query. */
export function consoleFileOf(
  files: ConsoleFiles,
  path: string,
): { file: ConsoleFile; cache: string; headers: Record<string, string> } | null {
  const file = isPage(path) ? files.find('/index.html') : isFile(path) ? files.find(path) : undefined;
  if (file === undefined) return null;
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  return { file, cache, headers: headersOf(file, cache) };
}

/** Sends a file with the strict policy. `cache`: its Cache-Control. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFile,
  cache: string,
): Promise<FastifyReply> {
  reply.headers(headersOf(file, cache));
  if (request.headers['if-none-match'] === file.etag) {
    sendWhole(reply, 304, '');
    return reply;
  }
  const encoding = encodingFor(request.headers['accept-encoding'], file);
  if (encoding !== null) reply.header('content-encoding', encoding);
  const bytes = encoding === null ? file.bytes : await compressed(file, encoding);
  sendWhole(reply, 200, bytes, ['content-length', String(bytes.length)]);
  return reply;
}

/** Adds the routes of pages and files. They need no credential: what they show comes from the API. */
export function addConsoleFiles(app: FastifyInstance, files: ConsoleFiles): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = '/'] = request.url.split('?');
    const found = consoleFileOf(files, path);
    if (found === null) return refuse(isPage(path) ? 'console_not_built' : 'unknown_path');
    return sendFile(request, reply, found.file, found.cache);
  };
  for (const url of [
    '/',
    '/app',
    '/app/*',
    '/setup',
    '/enroll',
    '/assets/*',
    '/sw.js',
    '/manifest.webmanifest',
  ])
    app.route({ method: ['GET', 'HEAD'], url, handler });
}
