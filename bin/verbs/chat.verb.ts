/** `svc chat`: the plain terminal client. */
import process from 'node:process';
import type { StreamState } from '#client/live-stream.ts';
import { followMessages } from '#client/live-stream.ts';
import { clientOptions, connectToBroker } from '../broker-connection.ts';
import { createChannelNames } from '../chat/channel-names.ts';
import { createOutbox } from '../chat/outbox.ts';
import { createPlainScreen, createPromptScreen, type Screen } from '../chat/screen.ts';
import { createTranscript, type Scope } from '../chat/transcript.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureOf } from '../failure.ts';
import { messageLine } from '../message-line.ts';
import { oneLine } from '../terminal-text.ts';
import { defineVerb } from '../verb.ts';

const timeoutMs = 10_000;
const mostWaiting = 100;
const { url, token } = clientOptions;

export const verb = defineVerb({
  usage: 'svc chat [options]',
  options: {
    with: {
      type: 'string',
      value: '<member>',
      help: 'what you write goes to this member alone, not to everybody',
    },
    url,
    token,
  },
  notes: [
    'Shows the last 20 messages and then all that come for you. Each line is a message. Ctrl+D or Ctrl+C leaves.',
    'A line is kept and sent again until the broker has it, also over a restart of the broker; standard input may be a pipe.',
  ],
  async run({ values, env }) {
    const leaving = new AbortController();
    const { signal } = leaving;
    const { client, http, url } = await connectToBroker(values, env, { timeoutMs, signal });
    const { name, teammates } = await client.call('briefing', {});
    const names: string[] = teammates.map((teammate) => teammate.name);
    const other = values.with;
    if (other !== undefined && !names.includes(other))
      throw new CommandFailure(`there is no member "${other}": pass --with one of ${names.join(', ')}`);

    const screen = openScreen(`${name} → ${other ?? '#general'}> `, () => leaving.abort());
    const news = createConnectionNews(screen, `connected to ${url} as ${name}`);
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
      onAcknowledged: (message) => (screen.showsTyping ? transcript.skip(message) : transcript.take(message)),
      onRefused(body, error) {
        refused++;
        screen.status(
          `not sent: "${oneLine(body.slice(0, 60))}": ${oneLine(failureOf(error, 'svc help chat').line)}`,
        );
      },
      onDelay: () => screen.status('not sent yet: it is kept, and sent when the broker answers'),
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
        screen.status('the broker could not resume: reading what was missed from the history');
        await transcript.fillGap(everyScope());
      }
      news.connected();
    }
    let failure: unknown;
    const following = followMessages({
      http,
      name,
      signal,
      onState,
      async onMessage(message) {
        // Whether this is the line just sent is known once its answer is there.
        if (message.from === name) await outbox.settled();
        await channels.learn(message);
        transcript.take(message);
      },
    }).catch((error: unknown) => {
      if (!signal.aborted) failure = error;
      leaving.abort();
    });

    const leave = () => leaving.abort();
    process.once('SIGINT', leave).once('SIGTERM', leave);
    signal.addEventListener('abort', () => screen.close());
    await begun.promise;
    try {
      for await (const line of screen.lines()) {
        if (signal.aborted) break;
        if (line.trim() === '') continue;
        outbox.add(line);
        await outbox.atMost(mostWaiting);
      }
      await outbox.atMost(0);
    } catch (error) {
      if (!signal.aborted) failure = error;
    }
    const unsent = outbox.waiting;
    leaving.abort();
    await following;
    for (const line of unsent) screen.status(`not acknowledged: "${oneLine(line)}"`);
    if (failure !== undefined) throw failure;
    return unsent.length + refused > 0 ? 1 : 0;
  },
});

function openScreen(prompt: string, onInterrupt: () => void): Screen {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  return isTerminal ? createPromptScreen({ prompt: oneLine(prompt), onInterrupt }) : createPlainScreen();
}

/** Each loss is told once, not at every try. */
function createConnectionNews(screen: Screen, welcome: string) {
  let last: 'connected' | 'lost' | undefined;
  return {
    connected() {
      if (last !== 'connected') screen.status(last === undefined ? oneLine(welcome) : 'connected again');
      last = 'connected';
    },
    lost(reason: string) {
      if (last !== 'lost')
        screen.status(`connection lost: ${oneLine(reason)}; what you write is kept and sent when it is back`);
      last = 'lost';
    },
  };
}
