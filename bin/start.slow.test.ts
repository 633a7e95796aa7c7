import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { builtConsole } from '../test/browser/testing/built-console.ts';
import { calledMuster, type Home } from './testing/command.ts';
import { it } from './testing/home-test.ts';

const script = join(import.meta.dirname, 'start.ts');
const start = (home: Home, ...args: string[]) => home.startScript([script, '--port', '0', ...args]);
const urlOf = (stdout: string) => /listening on (\S+)/.exec(stdout)?.[1] ?? '';

// In a fresh checkout, each start would build it at the same time, while others read it.
beforeAll(async () => {
  await builtConsole();
});

describe.concurrent('npm start', () => {
  it('keeps everything in the user’s own folders, and prints how to set up', async ({ home }) => {
    const broker = start(home);
    await broker.shows('/setup#key=');
    await broker.shows(
      `or run: ${calledMuster} setup --config-path ${home.path('config/svc/svc.json')}`,
      'stderr',
    );
    await broker.shows('npm start -- --demo', 'stderr');
    expect(broker.stderr()).not.toContain('memory');
    broker.child.kill('SIGTERM');
    expect((await broker.ended).code).toBe(0);
    expect((await readFile(home.path('data/svc/main.db'))).length).toBeGreaterThan(0);
  });

  it('--demo prints lines that two people can paste to talk to each other', async ({ home }) => {
    const broker = start(home, '--demo');
    await broker.shows('chat --with ada\n');
    const pasted = [...broker.stdout().matchAll(/SVC_AUTH_CONFIG_PATH='(\S+)' node \S+ (chat --with \w+)/g)];
    const [ada, ben] = pasted.map(([, path = '', command = '']) =>
      home.start(command.split(' '), { SVC_AUTH_CONFIG_PATH: path }),
    );
    await Promise.all([ada?.shows('as ada', 'stderr'), ben?.shows('as ben', 'stderr')]);
    ada?.child.stdin.end('hello ben\n');
    await ben?.shows('ada → ben: hello ben');
    ben?.child.stdin.end();
    expect([(await ada?.ended)?.code, (await ben?.ended)?.code]).toEqual([0, 0]);
  });

  it('--demo uses the same team and messages the next time, at its new address', async ({ home }) => {
    const auth = { SVC_AUTH_CONFIG_PATH: home.path('team/ben.auth.json') };
    const first = start(home, '--demo-dir', 'team');
    await first.shows('chat --with ada\n');
    expect((await home.run(['push', 'remember me'], { env: auth })).code).toBe(0);
    first.child.kill('SIGTERM');
    expect((await first.ended).code).toBe(0);
    const second = start(home, '--demo-dir', 'team');
    await second.shows('chat --with ada\n');
    expect((await home.run(['recent'], { env: auth })).stdout).toContain('ben → #general: remember me');
    const cache = JSON.parse(await readFile(auth.SVC_AUTH_CONFIG_PATH, 'utf8'));
    expect(cache.entries.map(({ url }: { url: string }) => url)).toEqual([urlOf(second.stdout())]);
  });

  it('--demo does not touch a folder that contains something else', async ({ home }) => {
    await mkdir(home.path('mine'));
    await writeFile(home.path('mine/work.txt'), 'precious');
    const { code, stderr } = await start(home, '--demo-dir', 'mine').ended;
    expect(code).toBe(1);
    expect(stderr).toContain('contains other files. Pass another folder with --demo-dir');
    expect(await readFile(home.path('mine/work.txt'), 'utf8')).toBe('precious');
  });

  it('exits with 64 and one line for a wrong option', async ({ home }) => {
    const { code, stderr } = await start(home, '--demoo').ended;
    expect(code).toBe(64);
    expect(stderr).toBe('muster: unknown option \'--demoo\'. Run "npm start -- --help" for usage.\n');
  });
});
