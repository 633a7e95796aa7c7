/**
 * Downloads one file. On disk, it goes through `<target>.part`, with its ETag beside it in
 * `<target>.part.etag`: an interrupted download continues where it stopped, unless the file has changed by now.
 * The target appears completely, or not at all (specification/files.md#reading).
 */
import type { HttpClient } from '#client/http-client.ts';
import type { ExchangeReply } from '#client/http-exchange.ts';
import { errorOf, requestOf } from '#protocol/client.ts';
import { CommandFailure } from '../command-failure.ts';
import { createProgress, type ProgressOptions } from '../progress.ts';
import { sentences } from '../sentences.ts';
import { createIdleLimit, type IdleLimit } from './idle-limit.ts';
import { openPart, type Part } from './part-file.ts';
import { sizeText } from './size-text.rules.ts';

export interface Download {
  http: HttpClient;
  /** The path of the file at the broker. */
  path: string;
  /** The stream on which progress is shown. */
  screen: NonNullable<ProgressOptions['stream']>;
  /** 60 s by default. */
  idleTimeoutMs?: number;
}

interface Arriving {
  response: ExchangeReply;
  etag: string;
  /** The position of its first byte in the file. */
  start: number;
  /** The size of the whole file in bytes. */
  total: number;
}

const defaultIdleTimeoutMs = 60_000;

/** Returns where in the file the reply begins. @throws BrokerError for a refusal. */
async function ask(
  download: Download,
  from: { position: number; etag: string } | null,
  signal: AbortSignal,
): Promise<Arriving> {
  const { http, path } = download;
  const headers: Record<string, string> =
    from === null ? {} : { range: `bytes=${from.position}-`, 'if-range': from.etag };
  const response = await http.open(
    requestOf('readFile', { params: { '*': path.slice(1) }, headers }),
    signal,
  );
  // The file was shortened, or the part is already complete: If-Range alone does not distinguish the two.
  if (response.status === 416 && from !== null) {
    response.cancel();
    return ask(download, null, signal);
  }
  if (!response.ok)
    throw errorOf(response.status, await response.text(), response.headers.get('retry-after'));
  const etag = response.headers.get('etag') ?? '';
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
  if (response.status === 206 && range !== null)
    return { response, etag, start: Number(range[1]), total: Number(range[2]) };
  return { response, etag, start: 0, total: Number(response.headers.get('content-length')) };
}

/** @throws ConnectionError if the connection breaks, with a sentence that says so. */
async function* chunksOf({ response }: Arriving, { http }: Download, idle: IdleLimit) {
  try {
    for await (const chunk of response.body()) {
      idle.touch();
      yield chunk;
    }
  } catch (error) {
    throw http.explain(idle.signal.aborted ? idle.signal.reason : error);
  }
}

/** @throws BrokerError, ConnectionError, CommandFailure; what has arrived stays in `<target>.part`. */
export async function downloadTo(target: string, download: Download, replace: boolean): Promise<number> {
  const idle = createIdleLimit(download.idleTimeoutMs ?? defaultIdleTimeoutMs);
  const part = await openPart(target);
  try {
    const from = part.etag === null ? null : { position: part.position, etag: part.etag };
    const arriving = await ask(download, from, idle.signal);
    const { etag, start, total } = arriving;
    if (start !== part.position || etag !== part.etag) await part.startAfresh(etag);
    if (start !== part.position)
      throw new CommandFailure(
        'the broker sent a different part of the file than the requested one. Try again.',
      );
    const progress = createProgress({ stream: download.screen });
    try {
      for await (const chunk of chunksOf(arriving, download, idle)) {
        await part.append(chunk);
        progress.at({ unit: 'bytes', done: part.position, total });
      }
    } catch (error) {
      throw goingOn(error, part);
    } finally {
      progress.end();
    }
    if (!part.isWhole(total)) {
      await part.discard();
      throw new CommandFailure('the downloaded data does not match the file and was deleted. Try again.');
    }
    await part.publish(replace);
    return total;
  } finally {
    idle.end();
    await part.close();
  }
}

function goingOn(error: unknown, part: Part): unknown {
  if (!(error instanceof Error) || error.name !== 'ConnectionError') return error;
  return new CommandFailure(
    sentences(error.message, `Run the command again to continue after ${sizeText(part.position)}.`),
  );
}

/** Passes the bytes on as they arrive, in order. */
export async function downloadInto(
  write: (chunk: Uint8Array) => Promise<void>,
  download: Download,
): Promise<void> {
  const idle = createIdleLimit(download.idleTimeoutMs ?? defaultIdleTimeoutMs);
  try {
    const arriving = await ask(download, null, idle.signal);
    for await (const chunk of chunksOf(arriving, download, idle)) {
      await write(chunk);
      idle.touch();
    }
  } finally {
    idle.end();
  }
}
