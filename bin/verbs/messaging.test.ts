import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkNode } from '../doctor/node-check.ts';
import { calledMuster, createHome, type Home } from '../testing/command.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let url: string;
let ada: Record<string, string>;
let ben: Record<string, string>;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
  ({ url } = await home.serve());
  ada = { SVC_URL: url, SVC_TOKEN: tokens.ada };
  ben = { SVC_URL: url, SVC_TOKEN: tokens.ben };
});
afterAll(() => home.remove());

const asAda = (args: string[], input?: string | Uint8Array) =>
  home.run(args, { env: ada, ...(input !== undefined && { input }) });

describe.concurrent('search', () => {
  it('shows the time of this machine, as recent does', async () => {
    await asAda(['push', 'timepiece', '--to', 'ben']);
    const inTokyo = { env: { ...ada, TZ: 'Asia/Tokyo' } };
    const [recent, found] = await Promise.all([
      home.run(['recent', '--with', 'ben', '--limit', '500'], inTokyo),
      home.run(['search', 'timepiece'], inTokyo),
    ]);
    const [time = 'none'] = /^\S+ \S+(?= ada → ben: timepiece$)/m.exec(recent.stdout) ?? [];
    expect(found.stdout).toContain(time);
  });

  it('names each conversation in the form that people use', async ({ expect }) => {
    await asAda(['channels', 'create', 'release']);
    await asAda(['push', 'heliotrope one', '--channel', 'release']);
    await asAda(['push', 'heliotrope two', '--to', 'ben']);
    await asAda(['push', 'heliotrope three']);
    const created = await home.run(
      ['objectives', 'create', 'heliotrope four', '--assignee', 'ada', '--outcome', 'done'],
      { env: ben },
    );
    const [id] = /obj_\w+/.exec(created.stdout) ?? [];
    const places = async (): Promise<unknown> => {
      const { stdout } = await asAda(['search', 'heliotrope']);
      const lines = stdout.trimEnd().split('\n');
      return [...new Set(lines.map((line) => line.split('  ')[1]))].sort();
    };
    await expect.poll(places).toEqual(['#general', '#release', 'direct with ben', `objective ${id}`]);
    const inRelease = await asAda(['search', 'heliotrope', '--in', 'chan:release']);
    expect(inRelease).toMatchObject({ code: 0, stdout: expect.stringMatching(/^.*#release.* one\n$/) });
    expect((await asAda(['search', 'heliotrope', '--in', 'chan:none'])).code).toBe(1);
  });
});

describe.concurrent('push', () => {
  it('names what it answers by the id that recent shows', async () => {
    await asAda(['push', 'is it done?', '--to', 'ben']);
    const shown = await asAda(['recent', '--with', 'ben', '--ids']);
    const [, id = 'none'] = /^([0-9a-f-]{36}) .*: is it done\?$/m.exec(shown.stdout) ?? [];
    const sent = await asAda(['push', 'as asked', '--to', 'ben', '--in-reply-to', id, '--json']);
    expect(JSON.parse(sent.stdout).message.inReplyTo).toBe(id);
  });

  it('prints the same line as the toolbox for a direct message', async () => {
    const { code, stdout } = await asAda(['push', 'hello', 'ben', '--to', 'ben', '--title', 'Hi']);
    expect(stdout).toMatch(/^delivered to ben: live=0 targets=1 msg=[0-9a-f-]{36}\n$/);
    expect(code).toBe(0);
  });

  it('prints the same line as the toolbox for a broadcast', async () => {
    expect((await asAda(['push', 'hello all'])).stdout).toMatch(
      /^broadcast delivered: live=0 targets=2 msg=\S+\n$/,
    );
  });

  it.each(['', ' , '])('sends nothing with %j to attach, because the file would be missing', async (list) => {
    expect(await asAda(['push', 'see the file', '--attach', list])).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('--attach requires at least one path'),
    });
  });

  it('prints the same line as the toolbox for a channel post', async () => {
    expect((await asAda(['push', 'hi', '--channel', 'general'])).stdout).toMatch(
      /^posted to #general: live=0 targets=2 msg=/,
    );
  });

  it('reads the text from standard input with - or --stdin, with its lines, without the last line end', async () => {
    const sent = JSON.parse((await asAda(['push', '-', '--to', 'ben', '--json'], 'one\ntwo ✓\n')).stdout);
    expect(sent.message.body).toBe('one\ntwo ✓');
    expect((await asAda(['push', '--stdin'], 'x')).code).toBe(0);
  });

  it('does not send what is not UTF-8, nor an empty text', async () => {
    expect((await asAda(['push', '-'], Uint8Array.of(0xff, 0xfe))).stderr).toContain(
      'not UTF-8 text. Nothing was sent',
    );
    expect(await asAda(['push', '-'], '\n')).toMatchObject({ code: 64 });
  });

  it('delivers once with the same key', async () => {
    const args = ['push', 'once', '--to', 'cy', '--idempotency-key', 'my-key', '--json'];
    const [first, second] = [await asAda(args), await asAda(args)];
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout));
    const history = JSON.parse((await asAda(['recent', '--with', 'cy', '--json'])).stdout);
    expect(history.messages).toHaveLength(1);
  });

  it('exits with 1 and the broker’s sentence in one line when it is refused', async () => {
    const { code, stdout, stderr } = await asAda(['push', 'x', '--to', 'nobody']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^muster: there is no .*"muster members create"\.\n$/);
    const near = await home.run(['push', 'x', '--to', '@bne', '--url', url, '--token', tokens.ada]);
    expect(near.stderr).toBe('muster: there is no member named "bne". Did you mean "ben"?\n');
  });

  it('reports a token that the broker does not accept, without printing it', async () => {
    const { code, stderr } = await home.run(['push', 'x', '--url', url, '--token', 'svc_wrong']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^muster: the broker does not accept this token\. .*\n$/);
    expect(stderr).not.toContain('svc_wrong');
  });
});

describe.concurrent('recent', () => {
  it('shows messages newest first, or oldest first, with sender and recipient', async () => {
    for (const body of ['first', 'second'])
      await clientOf(url, 'ada').call('push', { body: { to: 'ada', body } });
    const newest = (await asAda(['recent', '--with', 'ada'])).stdout.trimEnd().split('\n');
    expect(newest.map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /, ''))).toEqual([
      'ada → ada: second',
      'ada → ada: first',
    ]);
    const oldest = (await asAda(['recent', '--with', 'ada', '--oldest-first'])).stdout.trimEnd().split('\n');
    expect(oldest).toEqual(newest.toReversed());
    expect((await asAda(['recent', '--with', 'ada', '--limit', '1'])).stdout.trimEnd()).toBe(newest[0]);
  });

  it('lets no message control the terminal', async () => {
    const body = '\x1b[2J\x1b]0;owned\x07\rbody\n2026-01-01 00:00:00 ben → ada: forged';
    await clientOf(url, 'ben').call('push', { body: { to: 'ben', body } });
    const { stdout } = await home.run(['recent', '--with', 'ben'], { env: ben });
    expect(stdout).toContain(
      '\\x1b[2J\\x1b]0;owned\\x07\\x0dbody\n    2026-01-01 00:00:00 ben → ada: forged',
    );
    expect([...stdout].filter((char) => /\p{Cc}/u.test(char) && char !== '\n')).toEqual([]);
    const json = await home.run(['recent', '--with', 'ben', '--json'], { env: ben });
    expect(json.stdout).not.toContain('\x1b');
    expect(JSON.parse(json.stdout).messages[0].body).toBe(body);
  });

  it('says that there are no messages yet', async () => {
    expect(await home.run(['recent', '--with', 'cy'], { env: ben })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no messages yet; "muster push" sends one\n',
    });
  });

  it.skipIf(process.platform !== 'linux')('says in one line that the disk is full', async () => {
    const env = { ...home.env, ...ada, NODE: process.execPath, SVC: `${import.meta.dirname}/../muster` };
    const [code, stderr] = await new Promise<[unknown, string]>((done) =>
      execFile('bash', ['-c', '"$NODE" "$SVC" roster > /dev/full'], { env }, (error, _, err) =>
        done([error?.code, err]),
      ),
    );
    expect(stderr).toMatch(/^muster: the output cannot be written \(ENOSPC.*\)\. Free some space.*\.\n$/);
    expect(code).toBe(1);
  });

  it.skipIf(process.platform === 'win32')(
    'ends quietly when the reader stops (muster recent | head)',
    async () => {
      const script = `"$NODE" "$SVC" recent --with cy --limit 500 | head -n 1; echo "\${PIPESTATUS[0]}"`;
      const body = 'x'.repeat(60_000);
      for (let i = 0; i < 4; i++) await clientOf(url, 'cy').call('push', { body: { to: 'cy', body } });
      await writeFile(home.path('pipe.sh'), script);
      const cy = { SVC_URL: url, SVC_TOKEN: tokens.cy };
      const env = { ...home.env, ...cy, NODE: process.execPath, SVC: `${import.meta.dirname}/../muster` };
      const [stdout, stderr] = await new Promise<[string, string]>((done, failed) =>
        execFile('bash', [home.path('pipe.sh')], { env, maxBuffer: 1e8 }, (error, out, err) =>
          error ? failed(error) : done([out, err]),
        ),
      );
      expect(stdout.trimEnd().split('\n')).toHaveLength(2);
      expect(stdout.endsWith('\n0\n')).toBe(true);
      expect(stderr).toBe('');
    },
  );
});

describe.concurrent('roster', () => {
  it('shows members, roles, marks, and presence', async () => {
    const rows = (await asAda(['roster'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(['MEMBER', 'ROLE', 'MARK', 'PRESENCE']);
    expect(rows.slice(1).map(([name, role, mark]) => [name, role, mark])).toEqual([
      ['ada', 'Lead', 'admin'],
      ['ben', 'Builder', 'operator'],
      ['cy', 'Reader', expect.stringMatching(/^offline/)],
    ]);
    expect(rows[1]?.[3]).toMatch(/^offline, last seen \d{4}-/);
  });

  it('prints the API’s response with --json', async () => {
    const answered = await fetch(`${url}/roster`, { headers: { authorization: `Bearer ${tokens.ada}` } });
    const printed = JSON.parse((await asAda(['roster', '--json'])).stdout);
    const body = (await answered.json()) as { teammates: unknown };
    expect(printed.teammates).toEqual(body.teammates);
  });
});

// Not parallel to the others, because its stream would show ada as connected.
describe('doctor', () => {
  it('prints one line per check and exits with 0 if everything is in order', async () => {
    const { code, stdout } = await home.run(['doctor'], { env: { ...ada } });
    expect(stdout).not.toMatch(/^fail/m);
    expect(code).toBe(0);
    const { status } = checkNode(process.version, '');
    expect(stdout).toMatch(new RegExp(`^${status.padEnd(5)} node: `, 'm'));
    for (const check of ['configuration', 'key', 'broker', 'protocol', 'clock', 'token', 'live stream'])
      expect(stdout).toMatch(new RegExp(`^ok    ${check}: `, 'm'));
  });

  it('says what to do about each finding, and exits with 1', async () => {
    await writeFile(home.path('bad.json'), '{', { mode: 0o644 });
    await writeFile(home.path('bad-auth.json'), '{');
    const env = { SVC_CONFIG_PATH: home.path('bad.json'), SVC_AUTH_CONFIG_PATH: home.path('bad-auth.json') };
    const { code, stdout } = await home.run(['doctor', '--url', 'http://127.0.0.1:1', '--json'], { env });
    const findings: { check: string; status: string; remedy?: string }[] = JSON.parse(stdout);
    const statusByCheck = Object.fromEntries(findings.map(({ check, status }) => [check, status]));
    expect(statusByCheck).toMatchObject({
      configuration: 'fail',
      'configuration mode': 'fail',
      'saved tokens': 'fail',
      address: 'ok',
      broker: 'fail',
      token: 'skip',
      'live stream': 'skip',
    });
    for (const { status, remedy } of findings) if (status === 'fail') expect(remedy).toBeTruthy();
    expect(code).toBe(1);
  });

  it('sends a person without a saved token to connect, because the team is set up already', async () => {
    const env = { SVC_AUTH_CONFIG_PATH: home.path('no-tokens.json') };
    const { stdout } = await home.run(['doctor'], { env });
    expect(stdout.split('\n')).toContain(
      `warn  saved tokens: there is no token in "${home.path('no-tokens.json')}" → run "${calledMuster} connect" to get one, or pass --token or set SVC_TOKEN`,
    );
  });

  it('names one remedy per line', async () => {
    const linesOf = async (...args: string[]) => (await home.run(['doctor', ...args])).stdout.split('\n');
    expect(await linesOf('--url', 'http://127.0.0.1:1')).toContain(
      `fail  broker: nothing answers at http://127.0.0.1:1 (ECONNREFUSED) → start the broker with "${calledMuster} serve", or pass another --url`,
    );
    expect(await linesOf('--url', 'broker')).toContain(
      'fail  address: the address from --url is not the address of a broker → write it like http://127.0.0.1:8717',
    );
    await writeFile(home.path('damaged.json'), 'text');
    const damaged = await home.run(['doctor'], { env: { SVC_AUTH_CONFIG_PATH: home.path('damaged.json') } });
    expect(damaged.stdout.split('\n')).toContain(
      `fail  saved tokens: the bearer cache "${home.path('damaged.json')}" is damaged and was left as it is → repair it, or move it to another folder and save the tokens again`,
    );
    expect(await linesOf('--url', url)).toContain(
      `fail  token: there is no token for ${url} → run "${calledMuster} connect" to get one, or pass --token or set SVC_TOKEN`,
    );
  });

  it('distinguishes a wrong token from an unreachable broker', async () => {
    const { code, stdout } = await home.run(['doctor', '--token', 'svc_wrong', '--url', url]);
    expect(stdout).toMatch(/^ok {4}broker: /m);
    expect(stdout).toMatch(/^fail {2}token: .* → pass another token with --token/m);
    expect(code).toBe(1);
  });
});
