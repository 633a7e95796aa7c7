import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { builtConsole } from '../test/browser/testing/built-console.ts';
import { calledMuster, type Home } from './testing/command.ts';
import { it } from './testing/home-test.ts';

const script = join(import.meta.dirname, 'start.ts');
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

  it('exits with 64 and one line for a wrong option', async ({ home }) => {
    const { code, stderr } = await start(home, '--demoo').ended;
    expect(code).toBe(64);
    expect(stderr).toBe('muster: unknown option \'--demoo\'. Run "npm start -- --help" for usage.\n');
  });
});
