import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let url: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
  ({ url } = await home.serve());
});
afterAll(() => home.remove());

const svc = (name: keyof typeof tokens, args: string[], input = '') =>
  home.run(args, { env: { SVC_URL: url, SVC_TOKEN: tokens[name] }, input });
const as = (name: keyof typeof tokens, ...args: string[]) => svc(name, ['channels', ...args]);
const said = async (ended: ReturnType<typeof as>) => {
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

describe('muster channels', () => {
  it('creates a channel, adds others, posts, reads, and removes them again', async () => {
    expect(await said(as('ben', 'create', 'ops'))).toMatch(/^created #ops \(ch_[0-9a-z]{10}\)\n$/);
    expect(await said(as('cy', 'join', '#ops'))).toBe('joined #ops\n');
    expect(await said(as('ben', 'add', 'ops', '@ada', '--role', 'admin'))).toBe('ada is in #ops as admin\n');
    expect(await said(as('cy', 'view', 'ops'))).toMatch(
      /^#ops \(ch_\w+\), created by ben on \S+ \S+\nMEMBER {2}ROLE {4}JOINED\nben +admin .*\nada +admin .*\ncy +member .*\n$/,
    );
    expect(await said(as('cy', 'post', 'ops', 'hello', 'there', '--title', 'Hi'))).toMatch(
      /^posted to #ops: live=0 targets=2 msg=\S+\n$/,
    );
    expect(await said(svc('ben', ['push', 'again', '--channel', 'ops']))).toMatch(
      /^posted to #ops: live=0 targets=2/,
    );
    expect(await said(svc('ada', ['recent', '--channel', 'ops']))).toMatch(
      /^\S+ \S+ ben → #ops: again\n\S+ \S+ cy → #ops \[Hi\]: hello there\n$/,
    );
    expect(await said(as('ben', 'remove', 'ops', '@cy'))).toBe('cy is no longer in #ops\n');
    const refused = await svc('cy', ['recent', '--channel', 'ops']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('you are not a member of this');
    expect(await said(as('ben', 'leave', 'ops'))).toBe('left #ops\n');
  });

  it.each([
    ['push', 'x', '--channel', 'gneral'],
    ['recent', '--channel', '#gneral'],
    ['search', 'x', '--in', 'chan:gneral'],
    ['channels', 'view', 'gneral'],
    ['channels', 'join', 'gneral'],
    ['channels', 'add', 'gneral', 'ben'],
    ['channels', 'post', 'gneral', 'x'],
    ['channels', 'rename', 'gneral', 'main'],
    ['channels', 'archive', 'gneral', '--yes'],
    ['retention', 'hold', '#gneral', '--reason', 'x'],
  ])('names the channel that was probably meant: %s %s %s', async (...args) => {
    expect(await svc('ada', args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'muster: there is no channel "gneral". Did you mean "general"?\n',
    });
  });

  it('creates and deletes a member whose name is written with an "@"', async () => {
    const options = ['--role-title', 'Tester'];
    expect(await said(svc('ada', ['members', 'create', '@dora', ...options, '--json']))).toContain('"dora"');
    expect(await said(svc('ada', ['members', 'delete', '@dora', '--yes']))).toBe('deleted dora\n');
  });

  it('suggests no channel that the member cannot see, and none that is too different', async () => {
    await said(as('ben', 'create', 'cellar', '--private'));
    expect((await as('cy', 'view', 'celar')).stderr).toBe('muster: there is no channel #celar.\n');
    expect((await as('ben', 'view', 'celar')).stderr).toContain('Did you mean "cellar"?');
  });

  it.each([
    ['members', 'tokens', '@ben'],
    ['members', 'update', '@ben', '--wakes', 'all'],
    ['audit', '--member', '@ben'],
    ['sessions', 'list', '--member', '@ben'],
    ['search', 'x', '--from', '@ben'],
    ['search', 'x', '--in', 'dm:@ben'],
    ['recent', '--with', '@ben'],
    ['objectives', 'list', '--assignee', '@ben', '--originator', '@ben'],
    ['retention', 'hold', 'member:@ben', '--reason', 'x'],
  ])('accepts a member with the "@" of a mention: %s %s %s', async (...args) => {
    const [plain, mentioned] = [args.map((word) => word.replace('@', '')), args];
    const ended = await svc('ada', mentioned);
    expect(ended.stderr).not.toContain('muster:');
    expect(ended.code).toBe(0);
    // Each hold gets an id of its own.
    if (args[1] === 'hold') return expect(ended.stdout).not.toContain('@');
    expect(ended).toEqual(await svc('ada', plain));
  });

  it('creates a private channel, and makes it public only with --yes', async () => {
    await said(as('ben', 'create', 'vault', '--private'));
    expect(await said(as('ben', 'view', 'vault'))).toContain(
      '\nprivate: only members whom an admin adds see it\n',
    );
    expect(await said(as('ben', 'list'))).toMatch(/\n#vault +admin +1 +private/);
    expect(await said(as('cy', 'list'))).not.toContain('vault');
    expect((await as('cy', 'join', 'vault')).stderr).toContain('there is no');
    for (const options of [[], ['--public'], ['--public', '--private']])
      expect((await as('ben', 'set', 'vault', ...options)).code).toBe(64);
    expect(await said(as('ben', 'set', 'vault', '--public', '--yes'))).toBe('#vault is public\n');
    expect(await said(as('cy', 'join', 'vault'))).toBe('joined #vault\n');
    expect(await said(as('ben', 'set', 'vault', '--private'))).toBe('#vault is private\n');
    expect(await said(as('cy', 'list'))).toContain('#vault');
  });

  it('lists the channels that the caller is in first, with its role', async () => {
    await as('ada', 'create', 'aaa');
    await as('cy', 'create', 'zzz');
    const lines = (await said(as('cy', 'list')))
      .split('\n')
      .filter((line) => /#(aaa|zzz|general) /.test(line));
    expect(lines.map((line) => line.split(/ +/).slice(0, 3).join(' ').trim())).toEqual([
      '#general member 3',
      '#zzz admin 1',
      '#aaa 1',
    ]);
    const { channels } = JSON.parse(await said(as('cy', 'list', '--json')));
    expect(channels[0]).toMatchObject({ id: 'general', joined: true, myRole: 'member' });
  });

  it('renames, and archives only with --yes', async () => {
    await as('ben', 'create', 'old-name');
    expect(await said(as('ben', 'rename', 'old-name', 'new-name'))).toBe('renamed #old-name to #new-name\n');
    expect(await as('ben', 'archive', 'new-name')).toMatchObject({ code: 64 });
    expect(await said(as('ben', 'archive', 'new-name', '--yes'))).toBe('archived #new-name\n');
    expect((await as('ben', 'post', 'new-name', 'x')).stderr).toContain('is archived and can');
    expect(await said(as('ada', 'view', 'new-name'))).toContain('\narchived on ');
  });

  it('reads a post from standard input, and prints the API’s response with --json', async () => {
    const made = JSON.parse(await said(as('ben', 'create', 'piped', '--json')));
    const posted = await said(svc('ben', ['channels', 'post', 'piped', '-', '--json'], 'one\ntwo\n'));
    expect(JSON.parse(posted).message).toMatchObject({
      body: 'one\ntwo',
      data: { thread: `chan:${made.id}` },
    });
    expect(await said(svc('ben', ['push', 'by id', '--channel', made.id]))).toContain('targets=0');
    expect(await said(svc('ben', ['recent', '--channel', made.id, '--limit', '1']))).toContain(': by id\n');
  });

  it('posts to general by its slug', async () => {
    expect(await said(as('cy', 'post', 'general', 'hello all'))).toMatch(
      /^posted to #general: live=0 targets=2/,
    );
  });

  it.each([
    [
      ['create', 'No Slug'],
      64,
      '"No Slug" is not a valid channel name: it must consist of lowercase letters',
    ],
    [['view'], 64, 'do not match "muster channels view <slug>"'],
    [['post', 'general'], 64, 'Write it after "post general"'],
    [['add', 'general', 'ben', '--role', 'owner'], 64, '--role must be admin or member'],
    [['join', 'general', '--role', 'admin'], 64, 'does not accept --role'],
    [['lists'], 64, 'Did you mean "list"?'],
    [['view', 'nowhere'], 1, 'there is no'],
    [['join', 'general'], 1, 'always exists for ev'],
  ])('says in one line what is wrong with %j', async (args, code, sentence) => {
    const ended = await as('cy', ...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr).toMatch(/^muster: [^\n]+\n$/);
  });

  it('explains its actions with --help', async () => {
    expect(await said(as('cy', '--help'))).toContain('post <slug> [text...]');
  });
});
