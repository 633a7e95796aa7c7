/** The contract between the console's page and the main process: four words, nothing generic. The page sees `window.muster`. */

export const channels = {
  request: 'muster:request',
  openFeed: 'muster:open-feed',
  closeFeed: 'muster:close-feed',
  feed: 'muster:feed',
} as const;

/** Starts the argument by which the preload learns the broker's address. */
export const addressArgument = '--broker-address=';

export interface BridgeRequest {
  method: string;
  /** Path and query of an operation of the contract. */
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

export interface BridgeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface BridgeFeed {
  /** The page's own number of this feed. */
  feed: number;
  url: string;
}

export type FeedNews =
  | { feed: number; kind: 'event'; event: string; data: string }
  | { feed: number; kind: 'state'; state: 'connecting' | 'open' | 'lost' | 'refused' };

export type BridgeReply<T> = { ok: true; value: T } | { ok: false; code: string; message: string };

export interface DesktopBridge {
  /** The broker's own address, for commands that name it. */
  readonly address: string;
  request(request: BridgeRequest): Promise<BridgeReply<BridgeAnswer>>;
  openFeed(feed: BridgeFeed): Promise<BridgeReply<null>>;
  closeFeed(feed: number): Promise<BridgeReply<null>>;
  onFeed(listener: (news: FeedNews) => void): void;
}
