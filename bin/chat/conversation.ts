/** The messages of one chat: sends and shows each one once, across interruptions. */
import type { HttpClient } from '#client/http-client.ts';
import { followMessages, type StreamState } from '#client/live-stream.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';
import { ReceiptFrame } from '#protocol/stream.ts';
import { sentences } from '../sentences.ts';
import { oneLine } from '../terminal-text.ts';
import { createChannelNames } from './channel-names.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { isSeenState, type Report } from './report.ts';
import type { Screen } from './screen.ts';
import { createTranscript, type Scope } from './transcript.ts';

export interface ConversationOptions {
  client: BrokerClient;
  http: HttpClient;
  /** The caller's own member name. */
  name: string;
  /** Every member. */
  names: readonly string[];
  /** The conversation whose newest messages are shown first. */
  scope: Scope;
  screen: Screen;
  report: Report;
  /** The line that tells of the first connection. */
  welcome: string;
  signal: AbortSignal;
}

export interface Conversation {
  outbox: Outbox;
  /** The number of lines that the broker refused. */
  readonly refused: number;
  /** Resolves when the first messages are on the screen, or when the chat ended before. */
  begun: Promise<void>;
  /** Shows new messages until the signal aborts. @throws like `followMessages`. */
  follow(): Promise<void>;
  /** Shows the newest messages of another conversation, too. */
  enter(scope: Scope): Promise<void>;
}

export function openConversation(options: ConversationOptions): Conversation {
  const { client, http, name, names, screen, report, signal } = options;
  const news = createConnectionNews(screen, options.welcome);
  const channels = createChannelNames(client);
  const receipts = createReceiptNews(report);
  const entered = new Set<string | undefined>();
  const transcript = createTranscript({
    client,
    signal,
    onDelay: news.lost,
    show: (message) => report.message(message, channels.slugOf(message)),
  });
  let refused = 0;
  const outbox = createOutbox({
    client,
    signal,
    onAcknowledged(message) {
      if (screen.showsTyping || report.isStructured) transcript.skip(message);
      else transcript.showOnce(message);
      report.stored(message);
      receipts.await(message);
    },
    onRefused(body, error) {
      refused++;
      report.refused(body, error);
    },
    onDelay: () => screen.status('not sent yet; the line is kept, and is sent when the broker answers'),
  });
  const begun = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => begun.resolve());
  const everyScope = (): Scope[] => [
    {},
    ...names.map((member) => ({ with: member })),
    ...[...entered].flatMap((channel) => (channel === undefined ? [] : [{ channel }])),
  ];
  async function enter(scope: Scope): Promise<void> {
    entered.add(scope.channel);
    await transcript.begin(scope);
  }
  async function onState(state: StreamState): Promise<void> {
    if (state.state === 'lost') return news.lost(state.reason);
    if (state.state === 'connected') {
      news.connected();
      outbox.nudge();
      if (!state.resumed) await enter(options.scope);
      begun.resolve();
    }
    if (state.state === 'reset') {
      screen.status('the broker could not resume the stream; reading the missed messages from the history');
      await transcript.fillGap(everyScope());
    }
    news.connected();
  }
  async function onMessage(message: Message): Promise<void> {
    // Whether this is the line that was just sent is known once its answer is there.
    if (message.from === name) await outbox.settled();
    await channels.learn(message);
    transcript.showOnce(message);
  }
  return {
    outbox,
    get refused() {
      return refused;
    },
    begun: begun.promise,
    enter,
    follow: () => followMessages({ http, name, signal, onState, onMessage, onNews: receipts.onNews }),
  };
}

const maxAwaited = 1000;

/** Receipts of direct messages that were entered here; the receipts of a post are not counted. */
function createReceiptNews(report: Report) {
  const awaited = new Map<string, Message>();
  return {
    await(message: Message): void {
      if (message.to === null) return;
      awaited.set(message.id, message);
      const [oldest = ''] = awaited.keys();
      if (awaited.size > maxAwaited) awaited.delete(oldest);
    },
    onNews(event: string, data: string): void {
      if (event !== 'receipt') return;
      const { messageId, member, state } = ReceiptFrame.parse(JSON.parse(data));
      const message = awaited.get(messageId);
      if (message === undefined || message.to !== member || !isSeenState(state)) return;
      report.seen(message, member, state);
      // Everything that was sent to this member before has been read with it.
      for (const { id, to } of [...awaited.values()])
        if (to === member && id <= messageId) awaited.delete(id);
    },
  };
}

interface ConnectionNews {
  connected(): void;
  lost(reason: string): void;
}

/** Each loss is reported once, not at every attempt. */
function createConnectionNews(screen: Screen, welcome: string): ConnectionNews {
  let last: 'connected' | 'lost' | undefined;
  return {
    connected() {
      if (last !== 'connected') screen.status(last === undefined ? oneLine(welcome) : 'reconnected');
      last = 'connected';
    },
    lost(reason) {
      if (last !== 'lost')
        screen.status(
          sentences(
            `connection lost: ${oneLine(reason)}`,
            'Your messages are kept, and are sent when the connection is back.',
          ),
        );
      last = 'lost';
    },
  };
}
