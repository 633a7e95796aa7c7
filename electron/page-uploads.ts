/**
 * The uploads of the console's page, part by part over the bridge. The engine hands the body of a request to a
 * scheme over in one piece, and does not say when the page gives up.
 */
import type { WebContents } from 'electron';
import type { UploadReply } from './bridge.ts';
import type { BrokerHost } from './broker-host.ts';
import { pageRequestKind } from './page-request.rules.ts';
import { Refusal } from './refusal.ts';
import type { BridgeHandlers } from './serve-bridge.ts';
import type { SessionJar } from './session-jar.ts';
import { isServed } from './tray-model.rules.ts';

/** The maximum per page. Each holds two parts in memory. */
const maxUploadsPerPage = 32;

export interface PageUploads {
  handlers: Pick<BridgeHandlers, 'openUpload' | 'sendUpload' | 'endUpload' | 'stopUpload'>;
  /** Called when the page of this window is gone or reloads. Its uploads write nothing. */
  forget(page: WebContents): void;
  /** Stops all uploads at the end of the app, because the broker would wait for their next parts. */
  close(): void;
}

interface Upload {
  /**
   * Resolves when the broker takes the next part; false if it has answered, so that no part is wanted. @throws
   * Refusal if the part before is still being sent, which bounds the memory, or after `end`.
   */
  send(bytes: Uint8Array): Promise<boolean>;
  /** Waits for the broker's reply. @throws Refusal if it did not answer. */
  end(): Promise<UploadReply>;
  stop(): void;
}

export interface PageUploadsDeps {
  host: Pick<BrokerHost, 'address' | 'state'>;
  jar: SessionJar;
}

export function createPageUploads({ host, jar }: PageUploadsDeps): PageUploads {
  const uploadsByPage = new Map<WebContents, Map<number, Upload>>();

  function open(url: string): Upload {
    const stopping = new AbortController();
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const parts = body.writable.getWriter();
    const exchange = jar.exchange();
    let hasAnswered = false;
    /** A part is being sent, or the last one was. */
    let isBusy = false;
    let isEnding = false;
    const replying = fetch(host.address + url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', ...exchange.headers },
      redirect: 'error',
      signal: stopping.signal,
      body: body.readable,
      duplex: 'half',
    })
      .then(async (reply) => {
        exchange.keepCookie(reply.headers.getSetCookie());
        return { status: reply.status, body: await reply.text() };
      })
      .catch(() => null)
      .finally(() => {
        hasAnswered = true;
      });
    // The stream fails with the request; whoever waits for the reply learns it.
    parts.closed.catch(() => undefined);
    return {
      async send(bytes) {
        if (isBusy) throw new Refusal('conflict', 'the parts of an upload must be sent one after another');
        isBusy = true;
        await Promise.race([parts.write(bytes).catch(() => undefined), replying]);
        isBusy = isEnding;
        return !hasAnswered;
      },
      async end() {
        isEnding = true;
        isBusy = true;
        parts.close().catch(() => undefined);
        const reply = await replying;
        if (reply === null) throw new Refusal('unavailable', 'the broker did not answer; try again');
        return reply;
      },
      stop: () => stopping.abort(),
    };
  }

  const uploadOf = (page: WebContents, upload: number): Upload => {
    const found = uploadsByPage.get(page)?.get(upload);
    if (found === undefined) throw new Refusal('not_found', 'there is no such upload');
    return found;
  };

  function forget(page: WebContents): void {
    for (const upload of uploadsByPage.get(page)?.values() ?? []) upload.stop();
    uploadsByPage.delete(page);
  }

  return {
    handlers: {
      openUpload({ upload, url }, { page }) {
        if (pageRequestKind('POST', url) !== 'call' || url.split('?', 1)[0] !== '/fs/write')
          throw new Refusal('not_found', 'there is no such operation');
        if (!isServed(host.state)) throw new Refusal('unavailable', 'the broker is not running');
        const uploads = uploadsByPage.get(page) ?? new Map<number, Upload>();
        uploadsByPage.set(page, uploads);
        if (uploads.size >= maxUploadsPerPage)
          throw new Refusal(
            'rate_limited',
            'too many files are being uploaded; try again when some are done',
          );
        if (uploads.has(upload)) throw new Refusal('conflict', 'an upload with this number is under way');
        uploads.set(upload, open(url));
        return null;
      },
      sendUpload: ({ upload, bytes }, { page }) => uploadOf(page, upload).send(bytes),
      async endUpload(upload, { page }) {
        const ending = uploadOf(page, upload);
        try {
          return await ending.end();
        } finally {
          // Another upload may have the number by now.
          const uploads = uploadsByPage.get(page);
          if (uploads?.get(upload) === ending) uploads.delete(upload);
        }
      },
      stopUpload(upload, { page }) {
        uploadsByPage.get(page)?.get(upload)?.stop();
        uploadsByPage.get(page)?.delete(upload);
        return null;
      },
    },
    forget,
    close() {
      for (const page of [...uploadsByPage.keys()]) forget(page);
    },
  };
}
