/**
 * The console in a browser: the browser sends the session cookie by itself, and the page adds the secret of its
 * session.
 */
import { errorOf } from '#protocol/client.ts';
import { openEventStream } from './event-stream.ts';
import { createSessionSecret } from './session-secret.ts';
import { openSharedStream } from './shared-stream.ts';
import { type Transport, Unreachable } from './transport.ts';

/** The page is being closed or reloaded. */
let isGoing = false;
addEventListener('pagehide', () => {
  isGoing = true;
});
addEventListener('pageshow', () => {
  isGoing = false;
});

export function browserTransport(): Transport {
  const secret = createSessionSecret(localStorage);
  const fileUrl = (path: string): string => `/fs/read${path.split('/').map(encodeURIComponent).join('/')}`;
  return {
    kind: 'browser',
    origin: location.origin,
    session: secret,
    async send({ method, url, headers, body }) {
      const reply = await reached(
        fetch(url, {
          method,
          headers: { ...headers, ...secret.headers() },
          credentials: 'same-origin',
          redirect: 'error',
          // The last requests outlive the page.
          keepalive: isGoing,
          ...(body !== undefined && { body }),
        }),
      );
      return { status: reply.status, headers: reply.headers, text: () => reached(reply.text()) };
    },
    open: (request) => openSharedStream(request, (own, after) => openEventStream(own, secret.headers, after)),
    fileUrl,
    async readFile(path, onProgress, signal) {
      const reply = await reached(
        fetch(fileUrl(path), { headers: secret.headers(), redirect: 'error', signal }),
      );
      if (!reply.ok) throw errorOf(reply.status, await reply.text(), reply.headers.get('retry-after'));
      return reached(blobOf(reply, onProgress));
    },
    upload(url, body, onProgress, signal) {
      // `fetch` does not report upload progress.
      return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open('POST', url);
        request.setRequestHeader('content-type', 'application/octet-stream');
        for (const [name, value] of Object.entries(secret.headers())) request.setRequestHeader(name, value);
        request.upload.addEventListener('progress', ({ loaded, total }) =>
          onProgress(total === 0 ? 1 : loaded / total),
        );
        request.addEventListener('load', () =>
          resolve({ status: request.status, body: request.responseText }),
        );
        request.addEventListener('error', (cause) => reject(new Unreachable({ cause })));
        request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
        signal.addEventListener('abort', () => request.abort());
        request.send(body);
      });
    },
  };
}

/** `fetch` fails with a TypeError, as a mistake in a script does; only here it is known that it is the connection. */
const reached = <T>(request: Promise<T>): Promise<T> =>
  request.catch((error: unknown) => {
    throw error instanceof TypeError ? new Unreachable({ cause: error }) : error;
  });

/** The browser can keep a large blob on disk. */
function blobOf(reply: Response, onProgress: (done: number) => void): Promise<Blob> {
  const total = Number(reply.headers.get('content-length') ?? 0);
  let loaded = 0;
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, out) {
      loaded += part.length;
      onProgress(total === 0 ? 1 : Math.min(1, loaded / total));
      out.enqueue(part);
    },
  });
  const type = reply.headers.get('content-type') ?? 'application/octet-stream';
  return new Response(reply.body?.pipeThrough(counting) ?? null, {
    headers: { 'content-type': type },
  }).blob();
}
