import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { actionHelp, verbHelp } from './help-text.ts';
import { calledMuster, createHome, type Home, svcPath } from './testing/command.ts';
import { UsageError } from './usage-error.ts';
import { verbTable } from './verb-table.ts';

let home: Home;
beforeAll(async () => {
  home = await createHome();
});
afterAll(() => home.remove());

describe('svc', () => {
  it('lists every verb with --help', async () => {
    const { code, stdout } = await home.run(['--help']);
    expect(code).toBe(0);
    for (const { name, summary } of verbTable)
      expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  it('prints its version', async () => {
    expect(await home.run(['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });

  it('explains a verb, in two ways', async () => {
    const [one, other] = await Promise.all([home.run(['push', '--help']), home.run(['help', 'push'])]);
    expect(one.stdout).toMatch(/^Usage: muster push /);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(verbTable.map((row) => [row.name, row] as const))(
    'has a help for %s that names each option',
    async (name, row) => {
      const { verb } = await row.load();
      const help = verbHelp(row.summary, verb);
      expect(help).toMatch(new RegExp(`^Usage: muster ${name}( |\n)`));
      const helps = [help, ...Object.values(verb.actions ?? {}).map(actionHelp)].join('\n');
      for (const option of Object.keys(verb.options)) expect(helps).toContain(`--${option}`);
    },
  );

  it('explains an action with its own options alone, in two ways', async () => {
    const [one, other] = await Promise.all([
      home.run(['members', 'rotate', '--help']),
      home.run(['help', 'members', 'rotate']),
    ]);
    expect(one).toEqual(other);
    expect(one.code).toBe(0);
    expect(one.stdout).toMatch(
      /^Usage: muster members rotate <name> \[options\]\n\nRevoke every token of a member/,
    );
    expect(one.stdout).toContain('\n  --yes ');
    expect(one.stdout).toContain('\n  --url <url> ');
    expect(one.stdout).not.toContain('--wakes');
  });

  it('shows an example of an action that is not obvious', async () => {
    const { stdout } = await home.run(['help', 'enroll', 'approve']);
    expect(stdout).toMatch(/\n\nExample:\n {2}muster enroll approve .+\n$/);
  });

  it('lists the actions of a verb, with the options that all of them accept', async () => {
    const { stdout } = await home.run(['members', '--url', 'http://127.0.0.1:1', '--help']);
    expect(stdout).toContain('\nActions:\n  list ');
    expect(stdout).toContain('\n  --insecure-http ');
    expect(stdout).not.toContain('--role-title');
    expect(stdout).toContain('"muster help members <action>"');
  });

  it.each([
    [['pusg'], 'muster: there is no verb "pusg". Did you mean "muster push"?\n'],
    [['frobnicate'], 'muster: there is no verb "frobnicate". Run "muster --help" for the list of verbs.\n'],
    [
      ['--json', 'roster'],
      'muster: the first argument must be a verb, not "--json". Run "muster --help" for the list of verbs.\n',
    ],
    [['roster', '--wrong'], 'muster: unknown option \'--wrong\'. Run "muster help roster" for usage.\n'],
    [['roster', '--limt', '3'], "muster: unknown option '--limt'. Did you mean --limit?\n"],
    [['members', 'list', '--limt=3'], "muster: unknown option '--limt'. Did you mean --limit?\n"],
    [
      ['members', 'list', '--wake', 'all'],
      'muster: unknown option \'--wake\'. Run "muster help members list" for usage.\n',
    ],
    [['members', 'rotat', '--help'], 'muster: there is no action "rotat". Did you mean "rotate"?\n'],
    [['help', 'members', 'rotat'], 'muster: there is no action "rotat". Did you mean "rotate"?\n'],
    [
      ['members', 'rotate'],
      'muster: the arguments do not match "muster members rotate <name>". Run "muster help members rotate" for usage.\n',
    ],
    [['push'], 'muster: there is no text. Write it after "push", or pass --stdin.\n'],
    [
      ['setup', '--team', 'x'],
      'muster: --admin is required if there is no terminal. Run "muster help setup" for usage.\n',
    ],
  ])('exits with 64 and one line that says what to do: %j', async (args, line) => {
    expect(await home.run(args)).toMatchObject({ code: 64, stdout: '', stderr: line });
  });

  it.each([
    [['roster', 'word'], "unexpected argument 'word'"],
    [['push', '--to'], "option '--to <value>' argument missing"],
    [['push', 'x', '--stdin'], 'pass the text as words or with --stdin, not both'],
    [['push', 'x', '--to', 'ben', '--channel', 'general'], 'pass --to or --channel, not both'],
    [['push', 'x', '--to', 'b b'], '--to: must be letters'],
    [['push', 'x', '--level', 'loud'], '--level must be one of debug, info'],
    [['push', 'x', '--idempotency-key', 'a b'], '--idempotency-key must be 1 to 128'],
    [['recent', '--limit', '501'], '--limit must be a number from 1 to 500'],
    [
      ['recent', '--limit', '-1'],
      '--limit requires a value. If the value begins with "-", write --limit=<value>.',
    ],
    [['recent', '--limit=-1'], '--limit must be a number from 1 to 500'],
    [['roster', '--limit=-1'], '--limit must be a number from 1 on'],
    [['prune-activity', '--older-than', '0d'], '--older-than must be 1 to 999999 days, hours, or minutes'],
    [
      ['search', 'x', '--in', 'release'],
      '--in must be general, dm:<member>, chan:<channel>, or obj:<objective id>',
    ],
    [
      ['recent', '--with', 'ben', '--channel', 'general'],
      'pass only one of --with, --channel, and --objective',
    ],
    [['recent', '--json', '--ids'], '--ids does not apply to --json'],
    [['objectives', 'view', 'obj_0123456789', '--limit', '501'], '--limit must be a number from 1 to 500'],
    [['objectives', 'view', 'obj_0123456789', '--json', '--limit', '5'], '--limit does not apply to --json'],
    [['doctor', '--timeout', '60'], '--timeout needs an agent'],
    [['doctor', '--model-url', 'https://models.example'], '--model-url needs an agent'],
    [['backup', '--verify', 'folder', '--db', 'main.db'], '--verify takes its folder alone'],
    [
      ['setup', '--https', '--host-name', 'team.example.com'],
      '--host-name applies only to a new configuration',
    ],
    [['setup', '--new-vapid', '--no-totp'], '--no-totp applies only to a new configuration'],
    [['setup', '--https', '--db', 'main.db'], '--db needs --new-vapid'],
    [['serve', '--port', '70000'], 'the port must be a number from 0 to 65535'],
    [['serve', '--log-level', 'loud'], '--log-level must be one of'],
  ])('refuses wrong usage before it does anything: %j', async ([name, ...args], line) => {
    const row = verbTable.find((one) => one.name === name);
    const started = row?.load().then(({ verb }) => verb.start(args, {}));
    await expect(started).rejects.toBeInstanceOf(UsageError);
    await expect(started).rejects.toThrow(line);
  });

  it('accepts --insecure-http for every action that calls the broker', async () => {
    const args = ['--insecure-http', '--url', 'http://127.0.0.1:1', '--token', 'svc_secret'];
    for (const row of verbTable) {
      const { verb } = await row.load();
      if (verb.actions === undefined || !('insecure-http' in verb.options)) continue;
      const [action = ''] = Object.keys(verb.actions);
      await expect(verb.start([action, ...args], {})).rejects.toThrow('nothing answers at');
    }
  });

  it.each(['roster', 'recent', 'chat'])(
    'exits with 1 and one line if %s cannot reach a broker',
    async (verb) => {
      // A port that the system assigns to nobody.
      const url = 'http://127.0.0.1:1';
      const args = [verb, '--url', url, '--token', 'svc_secret'];
      const { code, stdout, stderr } = await home.run(args);
      expect(stderr).toContain(`muster: nothing answers at ${url}`);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(stderr).not.toContain('secret');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    },
  );

  it('exits with 1 and one line if there is no token', async () => {
    const { code, stderr } = await home.run(['roster']);
    expect(stderr).toBe(
      `muster: there is no token for http://127.0.0.1:8717; run "${calledMuster} connect" to get one, or pass --token or set SVC_TOKEN.\n`,
    );
    expect(code).toBe(1);
  });
});

describe('bin/muster', () => {
  it('works through a link, started as a program from another folder', async () => {
    const link = home.path('linked-svc');
    await symlink(svcPath, link);
    const path = `${dirname(process.execPath)}:${home.env.PATH}`;
    const child = spawn(link, ['--version'], { cwd: home.folder, env: { ...home.env, PATH: path } });
    child.stdout.setEncoding('utf8');
    const [[text], [code]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
    expect([text, code]).toEqual([`${manifest.version}\n`, 0]);
  });
});
