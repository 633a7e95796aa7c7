/**
 * The console in the desktop window: requests and live events use the bridge, whose other side holds the
 * session; bytes of files come from the console's own scheme, and go to it over the bridge.
 */
import { type DesktopBridge, maxPartBytes } from '../../electron/bridge.ts';
import { browserTransport } from './browser-transport.ts';
import { answerOf } from './desktop-bridge.ts';
import type { LiveRequest, Transport } from './transport.ts';

export function desktopTransport(bridge: DesktopBridge): Transport {
  const requestByFeed = new Map<number, LiveRequest>();
  let feeds = 0;
  let uploads = 0;
  bridge.onFeed((news) => {
    const request = requestByFeed.get(news.feed);
    if (request === undefined) return;
    if (news.kind === 'state') request.onState(news.state);
    else if (request.events.includes(news.event)) request.onEvent({ event: news.event, data: news.data });
  });
  return {
    ...browserTransport(),
    kind: 'desktop',
    session: null,
    origin: bridge.address,
    async send(request) {
      const reply = await bridge.request(request);
      if (!reply.ok) throw new Error(reply.message);
      const { status, headers, body } = reply.value;
      return {
        status,
        headers: { get: (name) => headers[name.toLowerCase()] ?? null },
        text: async () => body,
      };
    },
    async upload(url, body, onProgress, signal) {
      const upload = uploads++;
      const stop = (): void => void bridge.stopUpload(upload);
      signal.addEventListener('abort', stop);
      try {
        await answerOf(bridge.openUpload({ upload, url }));
        for (let at = 0; at < body.size; at += maxPartBytes) {
          const part = await body.slice(at, at + maxPartBytes).arrayBuffer();
          const isWanted = await answerOf(bridge.sendUpload({ upload, bytes: new Uint8Array(part) }));
          if (!isWanted) break;
          onProgress((at + part.byteLength) / body.size);
        }
        return await answerOf(bridge.endUpload(upload));
      } catch (error) {
        stop();
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    open(request) {
      const feed = feeds++;
      requestByFeed.set(feed, request);
      request.onState('connecting');
      void bridge.openFeed({ feed, url: request.url }).then((reply) => {
        if (!reply.ok) request.onState('refused');
      });
      return () => {
        requestByFeed.delete(feed);
        void bridge.closeFeed(feed);
      };
    },
  };
}
