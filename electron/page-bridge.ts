/**
 * The requests and live streams of the console's page. They use the session of this desktop, which the page
 * never sees.
 */
import type { WebContents } from 'electron';
import type { BrokerHost } from './broker-host.ts';
import { openLiveFeed } from './live-feed.ts';
import { pageHeaders, pageRequestKind } from './page-request.rules.ts';
import { Refusal } from './refusal.ts';
import { type BridgeHandlers, sendNews } from './serve-bridge.ts';
import type { SessionJar } from './session-jar.ts';

/** The maximum per page. The console opens one or two. */
const maxFeedsPerPage = 8;

export interface PageBridgeDeps {
  host: BrokerHost;
  jar: SessionJar;
  /** Called when the page marked an item of the inbox, of which no event tells. */
  onMarked(): void;
}

export interface PageBridge {
  handlers: Pick<BridgeHandlers, 'request' | 'openFeed' | 'closeFeed'>;
  /** Closes the feeds before sleep and at the end. Their pages get the state `lost`. */
  closeFeeds(): void;
  /** Opens the feeds again after sleep. */
  openFeeds(): void;
  /** Called when the page of this window is gone or reloads. */
  forget(contents: WebContents): void;
}

interface OpenFeed {
  url: string;
  close(): void;
}

export function createPageBridge({ host, jar, onMarked }: PageBridgeDeps): PageBridge {
  const feedsByPage = new Map<WebContents, Map<number, OpenFeed>>();

  function open(page: WebContents, feed: number, url: string): OpenFeed {
    const close = openLiveFeed({
      address: () => host.address,
      path: url,
      headers: () => jar.headers(),
      onEvent: (event, data) => sendNews(page, 'onFeed', { feed, kind: 'event', event, data }),
      onState: (state) => sendNews(page, 'onFeed', { feed, kind: 'state', state }),
    });
    return { url, close };
  }

  const handlers: PageBridge['handlers'] = {
    async request({ method, url, headers, body }) {
      if (pageRequestKind(method, url) !== 'call')
        throw new Refusal('not_found', 'there is no such operation');
      const exchange = jar.exchange();
      const reply = await host.request({
        method,
        url,
        headers: { ...pageHeaders(headers), ...exchange.headers },
        body,
      });
      exchange.keepCookie(reply.setCookie);
      if (method !== 'GET' && /^\/attention(?:\?|$)/.test(url)) onMarked();
      return { status: reply.status, headers: reply.headers, body: reply.body.toString('utf8') };
    },
    openFeed({ feed, url }, { page }) {
      if (pageRequestKind('GET', url) !== 'feed') throw new Refusal('not_found', 'there is no such stream');
      const feeds = feedsByPage.get(page) ?? new Map<number, OpenFeed>();
      feedsByPage.set(page, feeds);
      if (feeds.size >= maxFeedsPerPage)
        throw new Refusal('rate_limited', 'this page has too many streams open');
      feeds.get(feed)?.close();
      feeds.set(feed, open(page, feed, url));
      return null;
    },
    closeFeed(feed, { page }) {
      feedsByPage.get(page)?.get(feed)?.close();
      feedsByPage.get(page)?.delete(feed);
      return null;
    },
  };

  return {
    handlers,
    closeFeeds() {
      for (const [page, feeds] of feedsByPage)
        for (const [feed, { close }] of feeds) {
          close();
          sendNews(page, 'onFeed', { feed, kind: 'state', state: 'lost' });
        }
    },
    openFeeds() {
      for (const [page, feeds] of feedsByPage)
        for (const [feed, { url, close }] of feeds) {
          close();
          feeds.set(feed, open(page, feed, url));
        }
    },
    forget(contents) {
      for (const { close } of feedsByPage.get(contents)?.values() ?? []) close();
      feedsByPage.delete(contents);
    },
  };
}
