/** The console in a browser: the browser sends the session cookie by itself, to the same origin only. */
import type { Transport } from './transport.ts';

export function browserTransport(): Transport {
  return {
    kind: 'browser',
    origin: location.origin,
    async send({ method, url, headers, body }) {
      return fetch(url, {
        method,
        headers,
        credentials: 'same-origin',
        redirect: 'error',
        ...(body !== undefined && { body }),
      });
    },
    open({ url, events, onEvent, onState }) {
      onState('connecting');
      const source = new EventSource(url);
      source.addEventListener('open', () => onState('open'));
      source.addEventListener('error', () =>
        onState(source.readyState === EventSource.CLOSED ? 'refused' : 'lost'),
      );
      for (const event of events)
        source.addEventListener(event, (message) => onEvent({ event, data: message.data }));
      return () => source.close();
    },
    fileUrl: (path) => `/fs/read${path.split('/').map(encodeURIComponent).join('/')}`,
    upload(url, body, onProgress, signal) {
      // `fetch` does not report upload progress.
      return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open('POST', url);
        request.setRequestHeader('content-type', 'application/octet-stream');
        request.upload.addEventListener('progress', ({ loaded, total }) =>
          onProgress(total === 0 ? 1 : loaded / total),
        );
        request.addEventListener('load', () =>
          resolve({ status: request.status, body: request.responseText }),
        );
        request.addEventListener('error', () =>
          reject(new Error('the connection to the broker was lost; try again')),
        );
        request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
        signal.addEventListener('abort', () => request.abort());
        request.send(body);
      });
    },
  };
}
