/** `muster chat`: the plain terminal client. */
import process from 'node:process';
import { isatty } from 'node:tty';
import { readChannelSlugs } from '#client/channel-slugs.ts';
import { type BrokerConnection, connectionOptions, connectToBroker } from '../broker-connection.ts';
import { createCarryOut, promptOf, refuseUnknownMember, targetOf } from '../chat/carry-out.ts';
import { completionsOf, type Order, orderOf } from '../chat/commands.ts';
import { type Conversation, openConversation } from '../chat/conversation.ts';
import { createJsonReport, createTextReport, type Report } from '../chat/report.ts';
import { createOutputScreen, createPlainScreen, createPromptScreen, type Screen } from '../chat/screen.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureOf } from '../failure.ts';
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
    stdin: { type: 'boolean', help: 'send each line of standard input as a message, without a prompt' },
    json: {
      type: 'boolean',
      help: 'print one JSON object per line for each message and for the outcome of each line; there is no prompt',
    },
    ...connectionOptions,
  },
  notes: [
    'Shows the last 20 messages, and then every message that arrives for you. Each line that you enter is a message, and a pasted text of several lines is one message. Enter /help for the commands. Press Ctrl+D or Ctrl+C to leave.',
    'A line is kept and sent again until the broker acknowledges it, even if the broker restarts. ✓ means that the broker has stored it, and ✓✓ tells who read a direct message.',
    'Without a terminal, chat shows messages and does not read standard input unless you pass --stdin.',
  ],
  async run({ values, env }) {
    const leaving = new AbortController();
    const { signal } = leaving;
    const leave = (): void => leaving.abort();
    const connection = await connectToBroker(values, env, { timeoutMs, signal });
    // The screen comes first, so that nothing is lost that is typed before the broker answers.
    const words: Words = { members: [], slugs: [] };
    const screen = openScreen(values, words, leave);
    const report = values.json ? createJsonReport() : createTextReport(screen);
    process.once('SIGINT', leave).once('SIGTERM', leave);
    signal.addEventListener('abort', () => screen.close());
    let failure: unknown;
    const fail = (error: unknown): void => {
      if (!signal.aborted) failure = error;
      leave();
    };
    const conversation = await begin({
      connection,
      screen,
      report,
      words,
      other: values.with,
      signal,
      fail,
    }).catch(fail);
    leave();
    await conversation?.following;
    const waiting = conversation?.outbox.waiting ?? [];
    for (const body of waiting) report.unsent(body, true);
    for (const body of screen.left) report.unsent(body, false);
    if (failure !== undefined) throw failure;
    return waiting.length + screen.left.length + (conversation?.refused ?? 0) > 0 ? 1 : 0;
  },
});

/** To which Tab completes. */
interface Words {
  members: readonly string[];
  slugs: readonly string[];
}

interface Beginning {
  connection: BrokerConnection;
  screen: Screen;
  report: Report;
  words: Words;
  other: string | undefined;
  signal: AbortSignal;
  fail(error: unknown): void;
}

/** Resolves when the input has ended and everything is sent, or when the signal aborts. */
async function begin({ connection, screen, report, words, other, signal, fail }: Beginning) {
  const { client, http, url } = connection;
  const { name, teammates } = await client.call('briefing', {});
  const names: string[] = teammates.map((teammate) => teammate.name);
  words.members = names;
  if (other !== undefined) refuseUnknownMember(other, names);
  const target = targetOf(other);
  screen.setPrompt(promptOf(name, target));
  const welcome = `connected to ${url} as ${name}`;
  const { scope } = target;
  const conversation = openConversation({
    client,
    http,
    name,
    names,
    scope,
    screen,
    report,
    welcome,
    signal,
  });
  const following = conversation.follow().catch(fail);
  // Without the slugs, Tab completes no channel, and nothing else changes.
  if (screen.showsTyping)
    void readChannelSlugs(client).then(
      (slugs) => {
        words.slugs = [...slugs.values()];
      },
      () => undefined,
    );
  await conversation.begun;
  const carryOut = createCarryOut({ client, http, name, names, target, screen, conversation });
  await enterLines(screen, conversation, carryOut, { report, signal }).catch(fail);
  return { following, outbox: conversation.outbox, refused: conversation.refused };
}

async function enterLines(
  screen: Screen,
  { outbox }: Conversation,
  carryOut: (order: Order) => Promise<boolean>,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<void> {
  for await (const entered of signal.aborted ? [] : screen.lines()) {
    if (entered.text.trim() === '') continue;
    try {
      if (!(await carryOut(orderOf(entered)))) break;
    } catch (error) {
      if (entered.text.startsWith('/file ')) report.refused(entered.text, error);
      else screen.status(oneLine(failureOf(error, 'muster help chat').line));
      // Lines that were entered in advance after a command may have been meant for another conversation.
      for (const body of screen.discard())
        report.refused(body, new CommandFailure('the command before it was refused'));
    }
    await outbox.drainTo(maxUnsent);
    if (signal.aborted) break;
  }
  await outbox.drainTo(0);
}

function openScreen(
  { stdin, json }: { stdin?: boolean; json?: boolean },
  words: Words,
  onInterrupt: () => void,
): Screen {
  if (stdin) return createPlainScreen(process.stdin);
  // Opening standard input would change the mode of a pipe that a shell reads its script from.
  if (json || !isatty(0) || !process.stdout.isTTY) return createOutputScreen();
  return createPromptScreen({
    prompt: '> ',
    complete: (line) => completionsOf(line, words.members, words.slugs),
    onInterrupt,
  });
}
