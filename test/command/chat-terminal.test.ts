/** `muster chat` in a real terminal, in front of a broker whose answers can be held back. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect } from 'vitest';
import { type Home, svcPath } from '../../bin/testing/command.ts';
import { it } from '../../bin/testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../../bin/testing/team-file.ts';
import { openTerminal, type Terminal } from '../agents/tmux.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Accepts connections at once, and passes them on to the broker when `release` is called. */
async function heldBack(brokerPort: string) {
  const gate = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, async (incoming) => {
    sockets.add(incoming.on('error', () => undefined));
    await gate.promise;
    const outgoing = connect(Number(brokerPort), '127.0.0.1').on('error', () => incoming.destroy());
    sockets.add(outgoing);
    incoming.pipe(outgoing).pipe(incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, release: () => gate.resolve() };
}

function openChat(home: Home, url: string, args: string[] = []): Terminal {
  const script = '"$0" "$@"; echo "exit code $?"';
  const terminal = openTerminal(['sh', '-c', script, process.execPath, svcPath, 'chat', ...args], {
    cwd: home.folder,
    env: { ...home.env, SVC_URL: url, SVC_TOKEN: tokens.ada, TERM: 'xterm-256color' },
  });
  cleanups.push(() => terminal.close());
  return terminal;
}

const shows = (terminal: Terminal, text: string) => expect.poll(() => terminal.screen()).toContain(text);

async function bodiesIn(url: string, scope: { with?: string; channel?: string } = {}): Promise<string[]> {
  const { messages } = await clientOf(url, 'ada').call('history', { query: scope });
  return messages.reverse().map(({ body }) => body);
}

async function servedTeam(home: Home) {
  await writeTeam(home.path('svc.json'), { files: { root: 'files' } });
  return home.serve();
}

describe('chat in a terminal', () => {
  it('sends what was typed before the broker answered, in order, and then says that it is stored', async ({
    home,
  }) => {
    const broker = await servedTeam(home);
    const slow = await heldBack(broker.port);
    const terminal = openChat(home, slow.url, ['--with', 'ben']);
    terminal.type('first\rsecond\r');
    await shows(terminal, 'second');
    terminal.type('third\r');
    await shows(terminal, 'third');
    expect(terminal.screen()).not.toContain('✓');
    slow.release();
    await shows(terminal, '✓ stored: "third"');
    expect(await bodiesIn(broker.url, { with: 'ben' })).toEqual(['first', 'second', 'third']);
    terminal.press('C-d');
    await shows(terminal, 'exit code 0');
  });

  it('names the lines that were not sent if it ends before the broker answers', async ({ home }) => {
    const broker = await servedTeam(home);
    const slow = await heldBack(broker.port);
    const terminal = openChat(home, slow.url);
    await shows(terminal, '>');
    terminal.type('too early\r');
    await shows(terminal, 'too early');
    terminal.press('C-c');
    await shows(terminal, 'not sent: "too early"');
    await shows(terminal, 'exit code 1');
    expect(await bodiesIn(broker.url)).toEqual([]);
  });

  it('marks a direct message as read when its recipient has read it', async ({ home }) => {
    const { url } = await servedTeam(home);
    const terminal = openChat(home, url, ['--with', 'ben']);
    terminal.type('look\r');
    await shows(terminal, '✓ stored: "look"');
    expect(terminal.screen()).not.toContain('✓✓');
    const ben = clientOf(url, 'ben');
    const { messages } = await ben.call('history', { query: { with: 'ada' } });
    await ben.call('reportRead', { body: { scope: 'dm:ada', upTo: messages[0]?.id ?? '' } });
    await shows(terminal, '✓✓ read by ben: "look"');
  });

  it('sends a pasted text of several lines as one message, once Enter confirms it', async ({ home }) => {
    const { url } = await servedTeam(home);
    const terminal = openChat(home, url);
    await shows(terminal, 'ada → #general>');
    terminal.type('\x1b[200~one\r/quit\r\tthree\x1b[201~');
    await shows(terminal, 'The 3 pasted lines wait as one message. Press Enter to send');
    expect(await bodiesIn(url)).toEqual([]);
    terminal.press('Enter');
    await shows(terminal, '✓ stored: "one');
    expect(await bodiesIn(url)).toEqual(['one\n/quit\n\tthree']);
  });

  it('discards a pasted text at Ctrl+C and goes on', async ({ home }) => {
    const { url } = await servedTeam(home);
    const terminal = openChat(home, url);
    await shows(terminal, 'ada → #general>');
    terminal.type('\x1b[200~rm one\rrm two\r\x1b[201~');
    await shows(terminal, 'The 2 pasted lines wait');
    terminal.press('C-c');
    await shows(terminal, 'The pasted text was discarded.');
    terminal.type('after\r');
    await shows(terminal, '✓ stored: "after"');
    expect(await bodiesIn(url)).toEqual(['after']);
  });

  it('refuses unknown commands, completes with Tab, and turns to a member or a channel', async ({ home }) => {
    const { url } = await servedTeam(home);
    const ada = clientOf(url, 'ada');
    const { id } = await ada.call('createChannel', { body: { slug: 'soundings' } });
    const terminal = openChat(home, url);
    await shows(terminal, 'ada → #general>');
    terminal.type('/chanel soundings\r');
    await shows(terminal, 'there is no command "/chanel", so nothing was sent. Did you mean /channel?');
    terminal.type('//etc\r');
    await shows(terminal, '✓ stored: "/etc"');
    terminal.type('/wi');
    await shows(terminal, '> /wi');
    terminal.press('Tab');
    await shows(terminal, '> /with');
    terminal.type('b');
    await shows(terminal, '> /with b');
    terminal.press('Tab');
    await shows(terminal, '> /with ben');
    terminal.press('Enter');
    await shows(terminal, 'ada → ben>');
    terminal.type('to ben\r/channel soundings\rto all\r');
    await shows(terminal, '✓ stored: "to all"');
    expect(await bodiesIn(url)).toEqual(['/etc']);
    expect(await bodiesIn(url, { with: 'ben' })).toEqual(['to ben']);
    expect(await bodiesIn(url, { channel: id })).toEqual(['to all']);
    terminal.type('/quit\r');
    await shows(terminal, 'exit code 0');
  });

  it('does not send what was entered in advance after a refused command', async ({ home }) => {
    const broker = await servedTeam(home);
    const slow = await heldBack(broker.port);
    const terminal = openChat(home, slow.url);
    await shows(terminal, '>');
    terminal.type('/with bem\rfor ben only\r');
    await shows(terminal, 'for ben only');
    slow.release();
    await shows(terminal, 'there is no member "bem". Did you mean "ben"?');
    await shows(terminal, 'not sent: "for ben only": the command before it was refused');
    expect(await bodiesIn(broker.url)).toEqual([]);
  });

  it('uploads a file to the own home and attaches it', async ({ home }) => {
    const { url } = await servedTeam(home);
    await writeFile(home.path('my plan.txt'), 'north');
    const terminal = openChat(home, url, ['--with', 'ben']);
    terminal.type('/file "my plan.txt" the plan\r');
    await shows(terminal, '✓ stored: "the plan"');
    const { messages } = await clientOf(url, 'ben').call('history', { query: { with: 'ada' } });
    expect(messages[0]?.attachments).toEqual(['/ada/my plan.txt']);
    terminal.type('/file missing.txt\r');
    await shows(terminal, 'not sent: "/file missing.txt": there is no file "missing.txt"');
  });
});
