/**
 * Brings the spool's events to the broker, oldest first, in batches, across outages. At least once: an event
 * is uploaded again only if this process ends between the broker's answer and the mark that follows
 * immediately.
 */
import { ConnectionError } from '#client/connection-error.ts';
import { reasonOf } from '#platform/error-text.ts';
import { ActivityAccepted } from '#protocol/activity.ts';
import { errorOf, requestOf, type Send } from '#protocol/client.ts';
import { isRefusedFor } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { lineOf } from './shorten-event.rules.ts';
import type { ActivitySpool, DropReason, SpoolBatch } from './spool.ts';

export interface UploaderOptions {
  spool: ActivitySpool;
  /** With the member's token, and a time limit of its own. */
  send: Send;
  member: string;
  onDropped(reason: DropReason, count: number): void;
  log: (event: string, data?: object) => void;
  /** The first and the maximum pause after a failure; 1 s and 60 s by default. */
  pauseMs?: { first: number; max: number };
}

export interface Uploader {
  /** There is something to upload. */
  wake(): void;
  /** Uploads without pauses until nothing waits or the time is over; true if nothing waits. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Ends after the upload in progress, or after two seconds. */
  stop(): Promise<void>;
}

type Outcome =
  | { is: 'accepted' }
  /** The batch is at fault: `isTooLarge`, or one of its events does not fit the broker's schema. */
  | { is: 'refused'; isTooLarge: boolean; reason: string }
  | { is: 'failed'; reason: string; isSlow: boolean; retryAfterMs: number };

const KiB = 1024;
/** This many bytes pass a slow line within the time that the broker allows for a body. */
const batchBytes = { usual: KiB * KiB, least: 256 * KiB };
const minEventBytes = 16 * KiB;
/** Events that happen together are uploaded together. */
const gatherMs = 200;
const maxHurriedPauseMs = 200;
const stopTimeoutMs = 2000;

/** A captive portal in between answers 200 to everything. */
function isAcceptance(body: string): boolean {
  try {
    return ActivityAccepted.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

function shortened(line: Buffer, most: number): Buffer | null {
  try {
    const shorter = lineOf(JSON.parse(line.toString()), most);
    return shorter === null ? null : Buffer.from(shorter);
  } catch {
    return null;
  }
}

const [opening, comma, closing] = ['{"events":[', ',', ']}'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];

const sizeOf = (lines: readonly Buffer[]): number => lines.reduce((sum, { length }) => sum + length, 0);

const bodyOf = (lines: readonly Buffer[]): Buffer<ArrayBuffer> =>
  Buffer.concat([opening, ...lines.flatMap((line, n) => (n === 0 ? [line] : [comma, line])), closing]);

export function createUploader(options: UploaderOptions): Uploader {
  const { spool, send, member, onDropped, log, pauseMs = { first: 1000, max: 60_000 } } = options;
  let bytes = batchBytes.usual;
  let failures = 0;
  let isStopped = false;
  let isHurried = false;
  let isRunning = false;
  let running: Promise<void> = Promise.resolve();
  let endPause: () => void = () => undefined;

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function upload(lines: readonly Buffer[]): Promise<Outcome> {
    const request = requestOf('uploadActivity', { params: { name: member } });
    const headers = { ...request.headers, 'content-type': 'application/json' };
    try {
      const reply = await send({ ...request, headers, body: bodyOf(lines) });
      if (reply.status >= 200 && reply.status <= 299) {
        if (isAcceptance(await reply.text())) return { is: 'accepted' };
        const reason = `the address answered ${reply.status} and is not a broker`;
        return { is: 'failed', reason, isSlow: false, retryAfterMs: 0 };
      }
      const seconds = Number(reply.headers.get('retry-after') ?? 0);
      const refused = errorOf(reply.status, await reply.text(), null);
      const { code, message } = refused;
      // A proxy in between may accept less than the broker does.
      const isTooLarge = reply.status === 413;
      // A broker of another version refuses everything, whatever the events are.
      const isOtherVersion = isRefusedFor(refused, 'unsupported_protocol');
      const isRefused = code === 'bad_request' && reply.status === 400 && !isOtherVersion;
      if (isTooLarge || isRefused) return { is: 'refused', isTooLarge, reason: message };
      const retryAfterMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1000, 300_000) : 0;
      return { is: 'failed', reason: message, isSlow: reply.status === 408, retryAfterMs };
    } catch (error) {
      const reason = reasonOf(error);
      const isSlow = error instanceof ConnectionError && error.reason === 'timeout';
      return { is: 'failed', reason, isSlow, retryAfterMs: 0 };
    }
  }

  /**
   * Uploads these next lines of the batch, in halves if they are refused. Null when they are done, otherwise
   * the reason.
   */
  async function uploadInHalves(
    batch: SpoolBatch,
    lines: readonly Buffer[],
  ): Promise<Extract<Outcome, { is: 'failed' }> | null> {
    const outcome = await upload(lines);
    if (outcome.is === 'failed') return outcome;
    if (outcome.is === 'accepted') {
      batch.done(lines.length);
      failures = 0;
      return null;
    }
    const size = sizeOf(lines);
    if (outcome.isTooLarge) bytes = Math.max(batchBytes.least, size >> 1);
    const [only, ...others] = lines;
    if (only !== undefined && others.length === 0) {
      const shorter = outcome.isTooLarge && size > minEventBytes ? shortened(only, size >> 1) : null;
      if (shorter !== null) return uploadInHalves(batch, [shorter]);
      batch.done(1);
      log('activity event refused', { reason: outcome.reason });
      onDropped(outcome.isTooLarge ? 'too large' : 'refused', 1);
      return null;
    }
    const middle = lines.length >> 1;
    return (
      (await uploadInHalves(batch, lines.slice(0, middle))) ??
      (await uploadInHalves(batch, lines.slice(middle)))
    );
  }

  async function run(): Promise<void> {
    let isBehind = false;
    while (!isStopped) {
      if (!isHurried && !isBehind) await pause(gatherMs);
      const batch = isStopped ? null : await spool.next({ events: limits.activity.batch, bytes });
      if (batch === null) return;
      isBehind = sizeOf(batch.lines) >= bytes >> 1;
      const failed = await uploadInHalves(batch, batch.lines).finally(() => batch.release());
      if (failed === null) continue;
      if (failed.isSlow) bytes = Math.max(batchBytes.least, bytes >> 1);
      if (failures === 0)
        log('activity waits for the broker', { reason: failed.reason, waiting: spool.waiting });
      const grown = Math.min(pauseMs.max, pauseMs.first * 2 ** Math.min(failures, 20));
      failures += 1;
      const ms = Math.max(grown * (0.5 + Math.random() / 2), failed.retryAfterMs);
      const isShort = isHurried && failed.retryAfterMs === 0;
      if (!isStopped) await pause(isShort ? Math.min(maxHurriedPauseMs, ms) : ms);
    }
  }

  function wake(): void {
    if (isRunning || isStopped) return;
    isRunning = true;
    running = run()
      .catch((error: unknown) => {
        log('activity upload failed', { reason: reasonOf(error) });
      })
      .finally(() => {
        isRunning = false;
        // Events that arrived during the last check.
        if (spool.waiting > 0 && !isStopped) setTimeout(wake, gatherMs).unref();
      });
  }

  return {
    wake,
    async flush(timeoutMs) {
      isHurried = true;
      endPause();
      wake();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, timeoutMs);
      let isLate = false;
      void late.promise.then(() => {
        isLate = true;
      });
      while (spool.waiting > 0 && !isLate && !isStopped) {
        await Promise.race([running, late.promise]);
        wake();
      }
      clearTimeout(timer);
      isHurried = false;
      return spool.waiting === 0;
    },
    async stop() {
      isStopped = true;
      endPause();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, stopTimeoutMs);
      });
      await Promise.race([running, late]);
      clearTimeout(timer);
    },
  };
}
