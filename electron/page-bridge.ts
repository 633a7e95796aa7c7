/** The main process's end of the bridge: every word is checked for who says it and for what it says. */
import type { IpcMainInvokeEvent, WebContents } from 'electron';
import { z } from 'zod';
import { type BridgeAnswer, type BridgeReply, channels, type FeedNews } from './bridge.ts';
import type { BrokerHost } from './broker-host.ts';
import { isTrustedSender } from './console-origin.rules.ts';
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

class BridgeRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface PageBridgeDeps {
  ipc: { handle(channel: string, listener: (event: IpcMainInvokeEvent, argument: unknown) => unknown): void };
  isOwnWindow(contents: WebContents): boolean;
  host: BrokerHost;
  jar: SessionJar;
  log: { warn(details: object, message: string): void };
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

export function servePageBridge({ ipc, isOwnWindow, host, jar, log }: PageBridgeDeps): PageBridge {
  const feedsByPage = new Map<WebContents, Map<number, OpenFeed>>();

  function handle<T>(
    channel: string,
    schema: z.ZodType<T>,
    run: (argument: T, sender: WebContents) => unknown,
  ): void {
    ipc.handle(channel, async (event, argument): Promise<BridgeReply<unknown>> => {
      const frame = event.senderFrame;
      const sender = {
        isOwnWindow: isOwnWindow(event.sender),
        isMainFrame: frame !== null && frame.parent === null,
        url: frame?.url ?? null,
      };
      if (!isTrustedSender(sender))
        return { ok: false, code: 'forbidden', message: 'this page may not use the bridge' };
      const parsed = schema.safeParse(argument);
      if (!parsed.success) return { ok: false, code: 'bad_request', message: z.prettifyError(parsed.error) };
      try {
        return { ok: true, value: await run(parsed.data, event.sender) };
      } catch (error) {
        if (error instanceof BridgeRefusal) return { ok: false, code: error.code, message: error.message };
        log.warn({ err: error, channel }, 'the bridge could not answer');
        return {
          ok: false,
          code: 'unavailable',
          message: 'the broker did not answer; its log has the cause',
        };
      }
    });
  }

  handle(channels.request, Request, async ({ method, url, headers, body }): Promise<BridgeAnswer> => {
    if (pageRequestKind(method, url) !== 'call')
      throw new BridgeRefusal('not_found', 'there is no such operation');
    const reply = await host.request({
      method,
      url,
      headers: { ...pageHeaders(headers), ...jar.headers() },
      body,
    });
    jar.take(reply.setCookie);
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
