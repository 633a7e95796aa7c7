import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { builtConsole } from '../test/browser/testing/built-console.ts';
import { calledMuster, type Home } from './testing/command.ts';
import { it } from './testing/home-test.ts';

const script = join(import.meta.dirname, 'start.ts');
const urlOf = (stdout: string) => /listening on (\S+)/.exec(stdout)?.[1] ?? '';
const start = (home: Home, ...args: string[]) => home.startScript([script, '--port', '0', ...args]);

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

  it.skipIf(process.platform !== 'linux')(
    'says why there is no window, and how to log in once the team is set up',
    async ({ home }) => {
      const env = { SVC_PORT: '0', DISPLAY: '', WAYLAND_DISPLAY: '', SSH_CONNECTION: '' };
      const broker = home.startScript([script], env);
      await broker.shows('no window opens, because there is no display', 'stderr');
      await broker.shows('/setup#key=');
      expect(broker.stderr()).not.toContain('log in at');
      const url = urlOf(broker.stdout());
      const key = /#key=(\S+)/.exec(broker.stdout())?.[1] ?? '';
      const reply = await fetch(`${url}/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [setupKeyHeader]: key },
        body: JSON.stringify({
          team: { name: 'Lab', directive: 'x' },
          admin: { name: 'ada', role: { title: 'Lead' } },
        }),
      });
      expect(reply.status).toBe(200);
      await broker.shows(`log in at ${url}/app with your name`, 'stderr');
      broker.child.kill('SIGTERM');
      await broker.ended;
      const again = start(home);
      await again.shows('/app with your name', 'stderr');
    },
  );

  it('exits with 64 and one line for a wrong option', async ({ home }) => {
    const { code, stderr } = await start(home, '--demoo').ended;
    expect(code).toBe(64);
    expect(stderr).toBe("muster: unknown option '--demoo'. Did you mean --demo?\n");
  });
});
