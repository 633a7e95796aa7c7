import { afterAll, beforeAll, describe, expect } from 'vitest';
import { freePort } from '../../broker/testing/free-port.ts';
import { count, createHome, type Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

const onDisk = ['--db', 'main.db', '--activity-db', 'activity.db'];
/**
 * For a broker that comes back at the same address, because the system assigns this one to nobody in the
 * meantime.
 */
const ownPort = async () => ['--port', String(await freePort())];
const push = (url: string, name: keyof typeof tokens, body: string, to?: string) =>
  clientOf(url, name).call('push', { body: { body, ...(to !== undefined && { to }) } });

async function openChat(home: Home, url: string, args: string[] = []) {
  const chat = home.start(['chat', '--stdin', ...args], { SVC_URL: url, SVC_TOKEN: tokens.ada });
  await chat.shows('connected to', 'stderr');
  return chat;
}

describe('chat', () => {
  let home: Home;
  let url: string;
  beforeAll(async () => {
    home = await createHome();
    await writeTeam(home.path('svc.json'));
    ({ url } = await home.serve());
  });
  afterAll(() => home.remove());

  it('shows the last 20 messages, then new ones', async () => {
    for (let i = 1; i <= 25; i++) await push(url, 'ben', `message ${i}.`, 'ada');
    const chat = await openChat(home, url, ['--with', 'ben']);
    await chat.shows('message 25.');
    await push(url, 'ben', 'live one', 'ada');
    await chat.shows('live one');
    await push(url, 'cy', 'for all');
    await chat.shows('cy → #general: for all');
    chat.child.stdin.end();
    const { code, stdout } = await chat.ended;
    expect(code).toBe(0);
    expect(stdout).not.toContain('message 5.');
    const shown = stdout.match(/message \d+\./g);
    expect(shown).toEqual(Array.from({ length: 20 }, (_, i) => `message ${i + 6}.`));
  });

  it('names channels by their slugs, including one that was created after the chat began', async () => {
    const chat = await openChat(home, url);
    const ben = clientOf(url, 'ben');
    const { id } = await ben.call('createChannel', { body: { slug: 'soundings' } });
    await ben.call('joinChannel', { params: { slug: 'soundings' }, body: { member: 'ada' } });
    await ben.call('push', { body: { body: 'in a channel', data: { thread: `chan:${id}` } } });
    await chat.shows('ben → #soundings: in a channel');
    chat.child.stdin.end();
    expect((await chat.ended).code).toBe(0);
  });

  it('sends each line of a pipe in order, shows it once, and exits with 0 when all are acknowledged', async () => {
    const input = Array.from({ length: 50 }, (_, i) => `line ${i}.`).join('\n');
    const { code, stdout, stderr } = await home.run(['chat', '--stdin', '--with', 'cy'], {
      env: { SVC_URL: url, SVC_TOKEN: tokens.ada },
      input,
    });
    expect([code, stderr.replace(/^connected.*\n/, '')]).toEqual([0, '']);
    const { messages } = await clientOf(url, 'cy').call('history', { query: { with: 'ada', limit: '500' } });
    expect(messages.reverse().map(({ body }) => body)).toEqual(input.split('\n'));
    for (const line of input.split('\n')) expect(count(stdout, line)).toBe(1);
  });

  it('says which line was refused, sends the others, and exits with 1', async () => {
    const input = `before\n${'x'.repeat(65_537)}\nafter\n`;
    const { code, stdout, stderr } = await home.run(['chat', '--stdin'], {
      env: { SVC_URL: url, SVC_TOKEN: tokens.ada },
      input,
    });
    expect(code).toBe(1);
    expect(stdout).toContain('before\n');
    expect(stdout).toContain('after\n');
    expect(stderr).toMatch(/not sent: "x{60}": /);
  });

  it('does not read standard input without --stdin, so that a script keeps its next lines', async () => {
    const chat = home.start(['chat'], { SVC_URL: url, SVC_TOKEN: tokens.ada });
    chat.child.stdin.end('echo from the script\n');
    await chat.shows('connected to', 'stderr');
    await push(url, 'ben', 'still shown');
    await chat.shows('still shown');
    chat.child.kill('SIGTERM');
    await chat.ended;
    const { messages } = await clientOf(url, 'ada').call('history', {});
    expect(messages.map(({ body }) => body)).not.toContain('echo from the script');
  });

  it('prints one JSON object per line for messages and for the outcome of each line', async () => {
    await push(url, 'ben', 'for JSON', 'ada');
    const { code, stdout } = await home.run(['chat', '--stdin', '--json', '--with', 'ben'], {
      env: { SVC_URL: url, SVC_TOKEN: tokens.ada },
      input: `in JSON\n${'x'.repeat(65_537)}\n`,
    });
    expect(code).toBe(1);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(rows).toContainEqual({ event: 'message', message: expect.objectContaining({ body: 'for JSON' }) });
    const mine = rows.filter(({ event, message }) => event !== 'message' || message.from === 'ada');
    expect(mine).toEqual([
      { event: 'stored', message: expect.objectContaining({ body: 'in JSON', to: 'ben' }) },
      { event: 'refused', body: 'x'.repeat(65_537), reason: expect.stringContaining('the text: must be') },
    ]);
  });

  it.each([
    { args: [], isYellow: true },
    { args: ['--no-color'], isYellow: false },
  ])('shows a warning in the color of its level, with $args', async ({ args, isYellow }) => {
    const env = { SVC_URL: url, SVC_TOKEN: tokens.ada, FORCE_COLOR: '1' };
    const chat = home.start(['chat', ...args], env);
    await chat.shows('connected to', 'stderr');
    await clientOf(url, 'ben').call('push', { body: { body: 'low fuel', level: 'warning' } });
    await chat.shows('(warning): low fuel');
    chat.child.kill('SIGTERM');
    const line = (await chat.ended).stdout.split('\n').findLast((one) => one.includes('low fuel')) ?? '';
    expect(line.startsWith('\x1b[33m')).toBe(isYellow);
  });

  it('lists the members if --with names an unknown one', async () => {
    const { code, stderr } = await home.run(['chat', '--with', 'dan', '--url', url, '--token', tokens.ada]);
    expect(code).toBe(1);
    expect(stderr).toBe('muster: there is no member "dan". The members are ada, ben, cy.\n');
    const near = await home.run(['chat', '--with', '@bne', '--url', url, '--token', tokens.ada]);
    expect(near.stderr).toBe('muster: there is no member "bne". Did you mean "ben"?\n');
  });

  it('accepts a member with an "@", and names the channel that was probably meant', async () => {
    const chat = home.startInTerminal(['chat', '--with', '@ben'], { SVC_URL: url, SVC_TOKEN: tokens.ada });
    await chat.shows('ada → ben> ');
    chat.child.stdin.write('/channel gneral\n');
    await chat.shows('there is no channel "gneral". Did you mean "general"?');
    chat.child.stdin.write('/with @cy\n');
    await chat.shows('ada → cy> ');
    chat.child.stdin.write('/quit\n');
    expect((await chat.ended).code).toBe(0);
  });
});

describe.concurrent('chat while the broker is unreachable', () => {
  it('survives a kill -9 of the broker: nothing is missed, shown twice, or sent twice', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const first = await home.serve([...(await ownPort()), ...onDisk]);
    const { url } = first;
    const chat = await openChat(home, url, ['--with', 'ben']);
    await push(url, 'ben', 'one before', 'ada');
    await chat.shows('one before');
    chat.child.stdin.write('mine before\n');
    await chat.shows('mine before');
    first.child.kill('SIGKILL');
    await chat.shows('connection lost', 'stderr');
    chat.child.stdin.write('mine while down\n');
    await home.serve(['--port', first.port, ...onDisk]);
    for (let i = 0; i < 5; i++) await push(url, 'ben', `missed ${i}.`, 'ada');
    await chat.shows('reconnected', 'stderr');
    await chat.shows('missed 4.');
    await chat.shows('mine while down');
    chat.child.stdin.end('mine after\n');
    const { code, stdout } = await chat.ended;
    expect(code).toBe(0);
    const missed = [0, 1, 2, 3, 4].map((i) => `missed ${i}.`);
    for (const line of ['one before', 'mine before', 'mine while down', 'mine after', ...missed])
      expect([line, count(stdout, line)]).toEqual([line, 1]);
    const { messages } = await clientOf(url, 'ben').call('history', { query: { with: 'ada' } });
    const mine = messages.filter(({ from }) => from === 'ada').map(({ body }) => body);
    expect(mine.reverse()).toEqual(['mine before', 'mine while down', 'mine after']);
  });

  it('reads the history if the broker cannot resume, in every scope, without repeating', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const first = await home.serve(await ownPort());
    const { url } = first;
    const chat = await openChat(home, url, ['--with', 'ben']);
    await push(url, 'ben', 'old one', 'ada');
    await chat.shows('old one');
    first.child.kill('SIGKILL');
    await chat.shows('connection lost', 'stderr');
    await home.serve(['--port', first.port]);
    await push(url, 'ben', 'to me alone', 'ada');
    await push(url, 'cy', 'to all');
    await chat.shows('could not resume', 'stderr');
    await chat.shows('to all');
    await push(url, 'cy', 'afterwards', 'ada');
    await chat.shows('afterwards');
    chat.child.stdin.end();
    const { code, stdout } = await chat.ended;
    expect(code).toBe(0);
    for (const line of ['old one', 'to me alone', 'to all', 'afterwards'])
      expect([line, count(stdout, line)]).toEqual([line, 1]);
  });

  it.skipIf(process.platform === 'win32')(
    'ends at a signal, and says which lines are not acknowledged',
    async ({ home }) => {
      await writeTeam(home.path('svc.json'));
      const broker = await home.serve();
      const chat = await openChat(home, broker.url);
      await push(broker.url, 'ben', 'hello');
      await chat.shows('hello');
      broker.child.kill('SIGKILL');
      await chat.shows('connection lost', 'stderr');
      chat.child.stdin.write('never sent\n');
      await chat.shows('not sent yet', 'stderr');
      chat.child.kill('SIGINT');
      const { code, stderr } = await chat.ended;
      expect(code).toBe(1);
      expect(stderr).toContain('not acknowledged: "never sent"');
    },
  );
});
