import { mkdir, readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { describe, expect } from 'vitest';
import type { Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

const serve = async (home: Home): Promise<string> => {
  await writeTeam(home.path('svc.json'));
  return (await home.serve()).url;
};
const saved = async (home: Home): Promise<string> =>
  readFile(home.path('config/svc/auth.json'), 'utf8').catch(() => '');

describe('muster login --console', () => {
  it('prints a link that logs in once', async ({ home }) => {
    const url = await serve(home);
    const { stdout, code } = await home.run(['login', '--console', '--print', '--url', url], {
      env: { SVC_TOKEN: tokens.ben },
    });
    expect(code).toBe(0);
    const [, login = ''] = /^(?:http:\/\/127\.0\.0\.1:\d+\/app)#login=(\S+)\n$/.exec(stdout) ?? [];
    const open = () =>
      fetch(`${url}/session/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: login }),
      });
    expect(await (await open()).json()).toMatchObject({ member: 'ben' });
    expect((await open()).status).toBe(401);
  });

  it('opens the link with the system’s program, and prints it if that fails', async ({ home }) => {
    const url = await serve(home);
    const words = ['login', '--console', '--url', url, '--token', tokens.ben];
    const env = { DISPLAY: ':99', PATH: '/nowhere' };
    const { stdout, stderr } = await home.run(words, { env });
    expect(stdout).toContain(`${url}/app#login=`);
    expect(stderr).toBe('Open the link within a minute. It works once.\n');
  });
});

describe('muster save-token', () => {
  it('saves a token from standard input once the broker has said whose it is', async ({ home }) => {
    const url = await serve(home);
    const save = (input: string) => home.run(['save-token', '--url', url], { input });
    expect(await save('svc_wrong\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not accept this token'),
    });
    expect(await saved(home)).toBe('');
    expect((await save('')).stderr).toBe('muster: there is no token. Pass it on standard input.\n');
    expect((await save(`${tokens.ben}\n`)).stdout).toContain(`Saved the token of ben (Builder) for ${url}`);
    expect((await home.run(['roster'])).code).toBe(0);
  });

  it('asks in a terminal, without showing the token', async ({ home }) => {
    const url = await serve(home);
    const terminal = home.startInTerminal(['save-token', '--url', url]);
    await terminal.shows('Token: ');
    terminal.child.stdin.write(`${tokens.ben}\r`);
    await terminal.shows('Saved the token of ben');
    expect((await terminal.ended).code).toBe(0);
    expect(terminal.stdout()).not.toContain(tokens.ben);
  });
});

describe('muster logout', () => {
  it('forgets the token here, and says that it stays valid', async ({ home }) => {
    const url = await serve(home);
    await home.run(['save-token', '--url', url], { input: tokens.ben });
    const { code, stderr } = await home.run(['logout']);
    expect(code).toBe(0);
    expect(stderr).toContain('The token itself stays valid.');
    expect(await saved(home)).not.toContain('svc_');
    expect(await home.run(['logout', '--url', url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no token is saved for ${url}`),
    });
  });
});

describe('muster members rotate', () => {
  it('keeps the saved token of the caller right', async ({ home }) => {
    const url = await serve(home);
    await home.run(['save-token', '--url', url], { input: tokens.ada });
    const { stdout, stderr } = await home.run(['members', 'rotate', 'ada']);
    expect(stderr).toContain(`it is saved for ${url}`);
    expect(await saved(home)).toContain(stdout.replace(/^token: |\n$/g, ''));
    expect((await home.run(['roster'])).code).toBe(0);
  });

  it('says how to save a new token if the former one was not saved', async ({ home }) => {
    const url = await serve(home);
    const env = { SVC_TOKEN: tokens.ada, SVC_URL: url };
    const { stderr } = await home.run(['members', 'rotate', 'ada'], { env });
    expect(stderr).toContain(`save-token --url ${url}`);
    expect(await saved(home)).toBe('');
  });

  it('leaves the saved token alone if it is that of somebody else', async ({ home }) => {
    const url = await serve(home);
    await home.run(['save-token', '--url', url], { input: tokens.ada });
    const before = await saved(home);
    await home.run(['members', 'rotate', 'ben']);
    expect(await saved(home)).toBe(before);
  });

  it('asks in a terminal, and changes nothing if the answer is no', async ({ home }) => {
    const url = await serve(home);
    await home.run(['save-token', '--url', url], { input: tokens.ada });
    const terminal = home.startInTerminal(['members', 'rotate', 'ada']);
    await terminal.shows('Revoke every token of ada');
    terminal.child.stdin.write('\r');
    await terminal.shows('nothing was changed');
    expect((await terminal.ended).code).toBe(1);
    expect((await home.run(['roster'])).code).toBe(0);
  });
});

describe.skipIf(process.platform !== 'linux')('the browser of muster login --console', () => {
  /** Stands for the browser: keeps its argument and the answer, and then does something else. */
  async function standInBrowser(home: Home, then: string): Promise<Record<string, string>> {
    await mkdir(home.path('bin'));
    const script = [
      `#!${process.execPath}`,
      `const { writeFileSync } = require('node:fs');`,
      `writeFileSync(process.env.HOME + '/opener', String(process.pid));`,
      `const address = process.argv[2];`,
      `const ask = async () => (await fetch(address, { redirect: 'manual' }));`,
      then,
    ];
    await writeFile(home.path('bin/xdg-open'), script.join('\n'), { mode: 0o755 });
    return { DISPLAY: ':99', PATH: home.path('bin') };
  }
  const keep = (name: string, value: string) => `writeFileSync(process.env.HOME + '/${name}', ${value});`;
  const kept = (home: Home, name: string) => readFile(home.path(name), 'utf8');

  it('gets the link from the command, and not as an argument, which other accounts can read', async ({
    home,
  }) => {
    const url = await serve(home);
    const env = await standInBrowser(
      home,
      `${keep('address', 'address')} ask().then(({ headers }) => { ${keep('link', "headers.get('location')")} });`,
    );
    const { code, stdout } = await home.run(['login', '--console', '--url', url, '--token', tokens.ben], {
      env,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Opened the console at ${url}.\n` });
    expect(await kept(home, 'address')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
    const link = await kept(home, 'link');
    expect(link.startsWith(`${url}/app#login=`)).toBe(true);
    const reply = await fetch(`${url}/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: link.split('=')[1] }),
    });
    expect(await reply.json()).toMatchObject({ member: 'ben' });
  });

  it('does not hold the command up if it stays in the place of its opener', async ({ home }) => {
    const url = await serve(home);
    const env = await standInBrowser(home, 'ask(); setInterval(() => undefined, 600_000);');
    const words = ['login', '--console', '--url', url, '--token', tokens.ben];
    const { code, stdout } = await home.run(words, { env });
    process.kill(Number(await kept(home, 'opener')));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Opened the console at ${url}.\n` });
  });

  it('is not called open if it asks for nothing: the command prints the link', async ({ home }) => {
    const url = await serve(home);
    const env = await standInBrowser(home, '');
    const words = ['login', '--console', '--url', url, '--token', tokens.ben];
    expect((await home.run(words, { env })).stdout).toContain(`${url}/app#login=`);
  });

  it.skipIf(process.getuid?.() !== 0)('is refused if another account asks', async ({ home }) => {
    const url = await serve(home);
    const env = await standInBrowser(
      home,
      `const file = require('node:fs').openSync(process.env.HOME + '/answer', 'w');
      process.setuid(65_534);
      ask().then(({ status, headers }) => require('node:fs').writeSync(file, status + ' ' + headers.get('location')));`,
    );
    const words = ['login', '--console', '--url', url, '--token', tokens.ben];
    expect((await home.run(words, { env })).stdout).toContain(`${url}/app#login=`);
    expect(await kept(home, 'answer')).toBe('403 null');
  });
});
