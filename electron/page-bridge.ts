/** The main process's end of the bridge: every word is checked for who says it and for what it says. */
import type { WebContents } from 'electron';
import { z } from 'zod';
import { type BridgeAnswer, channels, type FeedNews } from './bridge.ts';
import { BridgeRefusal, type BridgeWord } from './bridge-words.ts';
import type { BrokerHost } from './broker-host.ts';
import { openLiveFeed } from './live-feed.ts';
import { pageHeaders, pageRequestKind } from './page-request.rules.ts';
import type { SessionJar } from './session-jar.ts';

const Request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
  url: z.string().max(8192),
  headers: z.record(z.string().max(128), z.string().max(8192)),
  body: z.union([z.string(), z.instanceof(Uint8Array)]).optional(),
});
const FeedNumber = z.int().nonnegative();
const Feed = z.strictObject({ feed: FeedNumber, url: z.string().max(8192) });

/** Of one window; its page has one or two. */
const feedsPerWindow = 8;

export interface PageBridgeDeps {
  handle: BridgeWord;
  host: BrokerHost;
  jar: SessionJar;
}

export interface PageBridge {
  /** Before sleep and at the end: their pages hear `lost`. */
  closeFeeds(): void;
  /** After sleep. */
  openFeeds(): void;
  /** The page of this window is gone or loads anew. */
  forget(contents: WebContents): void;
}

interface OpenFeed {
  url: string;
  close(): void;
}

export function servePageBridge({ handle, host, jar }: PageBridgeDeps): PageBridge {
  const feedsByPage = new Map<WebContents, Map<number, OpenFeed>>();

  handle(channels.request, Request, async ({ method, url, headers, body }): Promise<BridgeAnswer> => {
    if (pageRequestKind(method, url) !== 'call')
      throw new BridgeRefusal('not_found', 'there is no such operation');
    const exchange = jar.exchange();
    const reply = await host.request({
      method,
      url,
      headers: { ...pageHeaders(headers), ...exchange.headers },
      body,
    });
    exchange.take(reply.setCookie);
    return { status: reply.status, headers: reply.headers, body: reply.body.toString('utf8') };
  });

  handle(channels.openFeed, Feed, ({ feed, url }, sender) => {
    if (pageRequestKind('GET', url) !== 'feed')
      throw new BridgeRefusal('not_found', 'there is no such stream');
    const feeds = feedsByPage.get(sender) ?? new Map<number, OpenFeed>();
    feedsByPage.set(sender, feeds);
    if (feeds.size >= feedsPerWindow) throw new BridgeRefusal('rate_limited', 'too many streams of one page');
    feeds.get(feed)?.close();
    feeds.set(feed, open(sender, feed, url));
    return null;
  });

  handle(channels.closeFeed, FeedNumber, (feed, sender) => {
    feedsByPage.get(sender)?.get(feed)?.close();
    feedsByPage.get(sender)?.delete(feed);
    return null;
  });

  function tell(sender: WebContents, news: FeedNews): void {
    if (!sender.isDestroyed()) sender.send(channels.feed, news);
  }

  function open(sender: WebContents, feed: number, url: string): OpenFeed {
    const close = openLiveFeed({
      url: () => addressOf(host) + url,
      headers: () => jar.headers(),
      onEvent: (event, data) => tell(sender, { feed, kind: 'event', event, data }),
      onState: (state) => tell(sender, { feed, kind: 'state', state }),
    });
    return { url, close };
  }

  return {
    closeFeeds() {
      for (const [sender, feeds] of feedsByPage)
        for (const [feed, { close }] of feeds) {
          close();
          tell(sender, { feed, kind: 'state', state: 'lost' });
        }
    },
    openFeeds() {
      for (const [sender, feeds] of feedsByPage)
        for (const [feed, { url, close }] of feeds) {
          close();
          feeds.set(feed, open(sender, feed, url));
        }
    },
    forget(contents) {
      for (const { close } of feedsByPage.get(contents)?.values() ?? []) close();
      feedsByPage.delete(contents);
    },
  };
}

export const addressOf = ({ state }: BrokerHost): string => (state.kind === 'running' ? state.url : '');
