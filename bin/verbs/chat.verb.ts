/** `muster chat`: the plain terminal client. */
import process from 'node:process';
import type { HttpClient } from '#client/http-client.ts';
import { followMessages, type StreamState } from '#client/live-stream.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';
import { connectionOptions, connectToBroker } from '../broker-connection.ts';
import { createChannelNames } from '../chat/channel-names.ts';
import { createOutbox, type Outbox } from '../chat/outbox.ts';
import { createPlainScreen, createPromptScreen, type Screen } from '../chat/screen.ts';
import { createTranscript, type Scope } from '../chat/transcript.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureOf } from '../failure.ts';
import { messageLine } from '../message-line.ts';
import { sentences } from '../sentences.ts';
import { oneLine } from '../terminal-text.ts';
import { defineVerb } from '../verb.ts';

const timeoutMs = 10_000;
const maxUnsent = 100;

export const verb = defineVerb({
  usage: 'muster chat [options]',
  options: {
    with: {
      type: 'string',
      value: '<member>',
      help: 'chat with this member only, instead of everybody',
    },
    ...connectionOptions,
  },
  notes: [
    'Shows the last 20 messages, and then every message that arrives for you. Each line that you enter is a message. Press Ctrl+D or Ctrl+C to leave.',
    'A line is kept and sent again until the broker acknowledges it, even if the broker restarts. Standard input may be a pipe.',
  ],
  async run({ values, env }) {
    const leaving = new AbortController();
    const { signal } = leaving;
    const leave = (): void => leaving.abort();
    const { client, http, url } = await connectToBroker(values, env, { timeoutMs, signal });
    const { name, teammates } = await client.call('briefing', {});
    const names: string[] = teammates.map((teammate) => teammate.name);
    const other = values.with;
    if (other !== undefined && !names.includes(other))
      throw new CommandFailure(
        `there is no member "${other}". Pass one of these names to --with: ${names.join(', ')}.`,
      );

    const screen = openScreen(`${name} → ${other ?? '#general'}> `, leave);
    const news = createConnectionNews(screen, `connected to ${url} as ${name}`);
    const conversation = openConversation({ client, http, name, names, other, screen, news, signal });
    let failure: unknown;
    const fail = (error: unknown): void => {
      if (!signal.aborted) failure = error;
    };
    const following = conversation.follow().catch((error: unknown) => {
      fail(error);
      leave();
    });
    process.once('SIGINT', leave).once('SIGTERM', leave);
    signal.addEventListener('abort', () => screen.close());
    await conversation.begun;
    await sendLines(screen, conversation.outbox, signal).catch(fail);
    const unsent = conversation.outbox.waiting;
    leave();
    await following;
    for (const line of unsent) screen.status(`not acknowledged: "${oneLine(line)}"`);
    if (failure !== undefined) throw failure;
    return unsent.length + conversation.refused > 0 ? 1 : 0;
  },
});

interface ConversationOptions {
  client: BrokerClient;
  http: HttpClient;
  /** The caller's own member name. */
  name: string;
  /** Every member. */
  names: readonly string[];
  /** The member with whom this chat is; undefined for everybody. */
  other: string | undefined;
  screen: Screen;
  news: ConnectionNews;
  signal: AbortSignal;
}

interface Conversation {
  outbox: Outbox;
  /** How many lines the broker refused. */
  readonly refused: number;
  /** Resolves when the first messages are on the screen, or when the chat ended before. */
  begun: Promise<void>;
  /** Shows new messages until the signal aborts. @throws like `followMessages`. */
  follow(): Promise<void>;
}

/** Sends and shows messages, each one once. */
function openConversation(options: ConversationOptions): Conversation {
  const { client, http, name, names, other, screen, news, signal } = options;
  const channels = createChannelNames(client);
  const transcript = createTranscript({
    client,
    signal,
    onDelay: news.lost,
    show: (message) => screen.show(messageLine(message, channels.slugOf(message))),
  });
  let refused = 0;
  const outbox = createOutbox({
    client,
    to: other,
    signal,
    onAcknowledged: (message) =>
      screen.showsTyping ? transcript.skip(message) : transcript.showOnce(message),
    onRefused(body, error) {
      refused++;
      const { line } = failureOf(error, 'muster help chat');
      screen.status(`not sent: "${oneLine(body.slice(0, 60))}": ${oneLine(line)}`);
    },
    onDelay: () => screen.status('not sent yet; the line is kept, and is sent when the broker answers'),
  });
  const begun = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => begun.resolve());
  const everyScope = (): Scope[] => [{}, ...names.map((member) => ({ with: member }))];
  async function onState(state: StreamState): Promise<void> {
    if (state.state === 'lost') return news.lost(state.reason);
    if (state.state === 'connected') {
      news.connected();
      outbox.nudge();
      if (!state.resumed) await transcript.begin(other === undefined ? {} : { with: other });
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
    follow: () => followMessages({ http, name, signal, onState, onMessage }),
  };
}

/** Resolves when the input has ended and everything is sent, or when the signal aborts. */
async function sendLines(screen: Screen, outbox: Outbox, signal: AbortSignal): Promise<void> {
  for await (const line of screen.lines()) {
    if (signal.aborted) break;
    if (line.trim() === '') continue;
    outbox.add(line);
    await outbox.drainTo(maxUnsent);
  }
  await outbox.drainTo(0);
}

function openScreen(prompt: string, onInterrupt: () => void): Screen {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  return isTerminal ? createPromptScreen({ prompt: oneLine(prompt), onInterrupt }) : createPlainScreen();
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
            'What you write is kept, and is sent when the connection is back.',
          ),
        );
      last = 'lost';
    },
  };
}
