/**
 * Sends one file or standard input as it arrives; memory does not grow with its size
 * (specification/files.md#writing).
 */
import type { ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import process from 'node:process';
import { ConnectionError } from '#client/connection-error.ts';
import type { HttpClient } from '#client/http-client.ts';
import { answerOf, errorOf, requestOf } from '#protocol/client.ts';
import { type Collision, FsWritten } from '#protocol/files.ts';
import { CommandFailure } from '../command-failure.ts';
import { createProgress, type ProgressOptions } from '../progress.ts';
import { sentences } from '../sentences.ts';
import { createIdleLimit, type IdleLimit } from './idle-limit.ts';
import { mimeTypeOf } from './mime-types.ts';

export interface Upload {
  http: HttpClient;
  /** The path of the file at the broker. */
  path: string;
  /** By default, what the name or the beginning of the file says. */
  mime?: string;
  collide?: Collision;
  screen: NonNullable<ProgressOptions['stream']>;
  /** 60 s by default. */
  idleTimeoutMs?: number;
}

interface Source {
  bytes: AsyncIterable<Uint8Array>;
  /** Null if it is not known before the end. */
  size: number | null;
}

const defaultIdleTimeoutMs = 60_000;
const nothing = new Uint8Array();
const maxBeginningBytes = 8192;

/** Of a pipe, nothing can be read twice. */
async function beginningOf(file: FileHandle): Promise<Uint8Array> {
  if (!(await file.stat()).isFile()) return nothing;
  const { buffer, bytesRead } = await file.read(new Uint8Array(maxBeginningBytes), 0, maxBeginningBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** @param local a file's path, or `-` for standard input. @throws BrokerError, ConnectionError, CommandFailure. */
export async function upload(
  local: string,
  { idleTimeoutMs = defaultIdleTimeoutMs, ...to }: Upload,
): Promise<FsWritten> {
  const file = local === '-' ? null : await open(local);
  const idle = createIdleLimit(idleTimeoutMs);
  let fromFile: ReadStream | undefined;
  try {
    const found = await file?.stat();
    if (found?.isDirectory())
      throw new CommandFailure(`"${local}" is a directory. Upload its files one by one, or as an archive.`);
    fromFile = file?.createReadStream({ autoClose: false });
    const source: Source = {
      bytes: fromFile ?? process.stdin,
      size: found?.isFile() ? found.size : null,
    };
    const mime = to.mime ?? mimeTypeOf(to.path, file === null ? nothing : await beginningOf(file));
    return await send(source, { ...to, mime }, idle);
  } finally {
    idle.end();
    // If there was no connection, nobody has read it, and the file would wait for it.
    fromFile?.destroy();
    await file?.close();
    // Nobody needs what still arrives there, and it would keep the process running.
    if (file === null) process.stdin.destroy();
  }
}

async function send(
  { bytes, size }: Source,
  { http, path, mime, collide, screen }: Omit<Upload, 'idleTimeoutMs' | 'mime'> & { mime: string },
  idle: IdleLimit,
): Promise<FsWritten> {
  const progress = createProgress({ stream: screen });
  async function* counted(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    // A person who types into standard input may take any time.
    idle.pause();
    for await (const chunk of bytes) {
      idle.touch();
      yield chunk;
      idle.pause();
      sent += chunk.length;
      progress.at({ unit: 'bytes', done: sent, total: size });
    }
    idle.touch();
  }
  const request = requestOf('writeFile', {
    query: { path, collide },
    headers: { 'content-type': mime, ...(size !== null && { 'content-length': String(size) }) },
  });
  try {
    const response = await http.open(request, idle.signal, counted());
    const text = await response.text();
    if (!response.ok) throw errorOf(response.status, text, response.headers.get('retry-after'));
    return FsWritten.parse(answerOf(response.status, text));
  } catch (error) {
    const failure = idle.signal.aborted ? http.explain(idle.signal.reason) : error;
    if (failure instanceof ConnectionError && failure.mayHaveArrived)
      throw new CommandFailure(
        sentences(failure.message, 'Check with "muster fs stat" whether the file was stored.'),
      );
    throw failure;
  } finally {
    progress.end();
  }
}
