/** What a start and a command load: time and memory of each are mostly those of its modules (ADR 0013). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Home } from './testing/command.ts';
import { it } from './testing/home-test.ts';
import { tokens, writeTeam } from './testing/team-file.ts';

const recorder = join(import.meta.dirname, 'testing', 'record-modules.ts');
const recording = (home: Home, name: string) => ({
  NODE_OPTIONS: `--import "${recorder}"`,
  SVC_TEST_MODULES: home.path(name),
});
const loaded = async (home: Home, name: string) =>
  (await readFile(home.path(name), 'utf8')).split('\n').map((line) => line.replaceAll('\\', '/'));

async function serveTeam(home: Home, env?: Record<string, string>) {
  await writeTeam(home.path('svc.json'));
  const stores = ['--db', home.path('main.db'), '--activity-db', home.path('activity.db')];
  return home.serve(['--config-path', home.path('svc.json'), ...stores], env);
}

describe.concurrent('the modules', () => {
  it('of a command are those of its own call, without schemas', async ({ home }) => {
    const { url } = await serveTeam(home);
    const env = { ...recording(home, 'modules'), SVC_URL: url, SVC_TOKEN: tokens.ada };
    expect(await home.run(['roster'], { env })).toMatchObject({ code: 0, stderr: '' });
    const modules = await loaded(home, 'modules');
    expect(modules.filter((line) => line.endsWith('/bin/verbs/roster.verb.ts'))).toHaveLength(1);
    expect(modules.filter((line) => /\/zod\/|\.operations\.ts$|\/broker\/features\//.test(line))).toEqual([]);
  });

  it('of a broker are loaded when something needs them', async ({ home }) => {
    const { url } = await serveTeam(home, recording(home, 'modules'));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const atFirst = await loaded(home, 'modules');
    const laterOnly =
      /\/node_modules\/(?:ajv|otplib|jose|web-push|@opentelemetry|@peculiar|@modelcontextprotocol|fast-json-stringify\/index\.js)/;
    expect(atFirst.filter((line) => laterOnly.test(line))).toEqual([]);
    await fetch(`${url}/roster`, { headers: { authorization: `Bearer ${tokens.ada}` } });
    expect((await loaded(home, 'modules')).some((line) => laterOnly.test(line))).toBe(true);
  });

  it('of a store thread are those of its own store', async ({ home }) => {
    await serveTeam(home, recording(home, 'modules'));
    const modules = await loaded(home, 'modules');
    const definitions = modules.flatMap(
      (line) => /^(\S+) .*\/broker\/(\w+)-store\.ts$/.exec(line)?.slice(1).join() ?? [],
    );
    expect(definitions.sort()).toEqual(['activity,activity', 'main,main']);
  });
});
