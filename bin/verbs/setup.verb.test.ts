import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { changeStore } from '../../broker/testing/store-rows.ts';
import { calledMuster } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';

const flags = [
  'setup',
  '--team',
  'Blue',
  '--directive',
  'Win',
  '--brief',
  'All of it',
  '--admin',
  'ada',
  '--admin-title',
  'Lead',
];
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe.concurrent('setup', () => {
  it('prints one object with configPath, kekPath, member, token, and totpUri without a terminal', async ({
    home,
  }) => {
    const { code, stdout } = await home.run([...flags, '--json', '--config-path', 'deep/team.json']);
    const printed = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(Object.keys(printed)).toEqual(['configPath', 'kekPath', 'member', 'token', 'totpUri']);
    expect(printed).toMatchObject({
      configPath: home.path('deep/team.json'),
      kekPath: home.path('deep/team.json.kek'),
      member: { name: 'ada', role: { title: 'Lead' } },
    });
    expect(printed.token).toMatch(/^svc_/);
    expect(printed.totpUri).toMatch(/^otpauth:\/\/totp\/Blue:ada\?secret=[A-Z2-7]+&issuer=Blue$/);
    expect([
      await modeOf(printed.configPath),
      await modeOf(printed.kekPath),
      await modeOf(home.path('deep')),
    ]).toEqual([0o600, 0o600, 0o700]);
    const written = await readFile(printed.configPath, 'utf8');
    expect(JSON.parse(written)).toMatchObject({
      team: { name: 'Blue', directive: 'Win', brief: 'All of it' },
      files: { root: 'files' },
      webPush: { vapidPrivateKey: { v: 1 } },
    });
    expect(written).not.toContain(printed.token);
  });

  it('reads the path from SVC_CONFIG_PATH, and leaves TOTP out with --no-totp', async ({ home }) => {
    const env = { SVC_CONFIG_PATH: home.path('other.json') };
    const { stdout } = await home.run([...flags, '--json', '--no-totp'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ configPath: home.path('other.json'), totpUri: null });
    const written = JSON.parse(await readFile(home.path('other.json'), 'utf8'));
    expect(written.files.root).toBe('files');
  });

  it('names the public host and the proxy of a broker behind one', async ({ home }) => {
    await home.run([...flags, '--host-name', 'team.example.com', '--trusted-proxy', '10.87.17.0/24']);
    const written = JSON.parse(await readFile(home.path('svc.json'), 'utf8'));
    expect(written.listen).toEqual({ hosts: ['team.example.com'], trustedProxies: ['10.87.17.0/24'] });
  });

  it('never overwrites a configuration: it exits with 1, and the file stays as it is', async ({ home }) => {
    const path = home.path('svc.json');
    await writeFile(path, 'mine');
    const { code, stdout, stderr } = await home.run(flags);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^muster: ".*svc\.json" already exists and was not changed\. .*\n$/);
    expect(await readFile(path, 'utf8')).toBe('mine');
    await expect(stat(`${path}.kek`)).rejects.toThrow('ENOENT');
  });

  it.for([
    [['--team', '', '--admin', 'ada'], '--team must be 1 to 64 characters'],
    [['--team', 'x', '--admin', 'system'], '--admin is a reserved name'],
    [
      ['--team', 'x', '--admin', 'ada', '--trusted-proxy', 'caddy'],
      '--trusted-proxy must be an IP address or a CIDR range',
    ],
    [
      ['--team', 'x', '--admin', 'ada', '--host-name', 'https://a.example'],
      '--host-name must be a host name or address, without a path',
    ],
  ] as const)(
    'refuses an invalid value with the sentence of its schema, and writes nothing: %j',
    async ([args, line], { home }) => {
      const { code, stderr } = await home.run(['setup', ...args]);
      expect({ code, stderr }).toEqual({
        code: 64,
        stderr: `muster: ${line}. Run "muster help setup" for usage.\n`,
      });
      expect(await readdir(home.folder)).toEqual([]);
    },
  );

  it('says how many members have to open the console for notifications after --new-vapid', async ({
    home,
  }) => {
    await home.run([...flags, '--json']);
    const renew = async (...args: string[]) => (await home.run(['setup', '--new-vapid', ...args])).stderr;
    expect(await renew()).toContain('pass --db');
    expect(await renew('--db', 'none.db')).toContain('pass --db');
    const server = await home.serve(['--db', 'main.db', '--activity-db', 'activity.db']);
    server.child.kill('SIGTERM');
    await server.ended;
    expect(await renew('--db', 'main.db')).toContain('No member has turned notifications on.');
    const insert = (id: string, member: string) =>
      `INSERT INTO push_subscription (id, member, endpoint, p256dh, auth, created_at) VALUES ('${id}', '${member}', '${id}', 'x', 'y', 1);`;
    changeStore(home.path('main.db'), insert('1', 'ada') + insert('2', 'ada') + insert('3', 'ben'));
    expect(await renew('--db', 'main.db')).toContain(
      '2 members get notifications again once they open the console',
    );
    const { stdout } = await home.run(['setup', '--new-vapid', '--json', '--db', 'main.db']);
    expect(JSON.parse(stdout)).toEqual({ vapidPublicKey: expect.any(String), members: 2 });
  });

  it('saves the token with --save, so that the next command works', async ({ home }) => {
    const { stdout, stderr } = await home.run([...flags, '--save']);
    const token = /svc_\S+/.exec(stdout)?.[0];
    const cache = JSON.parse(await readFile(home.path('config/svc/auth.json'), 'utf8'));
    expect(cache.entries).toMatchObject([{ url: 'http://127.0.0.1:8717', token }]);
    expect(stderr).toContain('Saved the token for http://127.0.0.1:8717');
    expect(stderr).toContain(`Start the broker: ${calledMuster} serve\n`);
  });

  it('shows the token even if it cannot be saved, and then exits with 1', async ({ home }) => {
    await writeFile(home.path('auth.json'), 'damaged');
    const env = { SVC_AUTH_CONFIG_PATH: home.path('auth.json') };
    const { code, stdout, stderr } = await home.run([...flags, '--save'], { env });
    expect(stdout).toMatch(/svc_\S+/);
    expect(stderr).toContain('the token was not saved: the bearer cache');
    expect(code).toBe(1);
    expect(await readFile(home.path('auth.json'), 'utf8')).toBe('damaged');
  });
});
