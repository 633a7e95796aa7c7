import { rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, type Home } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
beforeEach(async () => {
  home = await createHome();
});
afterEach(() => home.remove());

async function doctorOn(config: Record<string, unknown>): Promise<string> {
  await writeTeam(home.path('svc.json'), config);
  const { url } = await home.serve([], { SVC_CONFIG_PATH: home.path('svc.json') });
  return (await home.run(['doctor', '--url', url, '--token', tokens.ada])).stdout;
}

it.each([
  { config: { files: { root: 'files' } }, line: /^ok {4}files: on$/m },
  { config: {}, line: /^ok {4}files: off, because the configuration has no files block$/m },
])('muster doctor says whether files are on, and finds nothing wrong: $config', async ({ config, line }) => {
  expect(await doctorOn(config)).toMatch(line);
});

it('muster doctor fails if the folder for files cannot be used', async () => {
  await rm(home.path('files'), { recursive: true, force: true });
  await writeFile(home.path('files'), 'not a folder');
  expect(await doctorOn({ files: { root: 'files' } })).toMatch(/^fail {2}files: files are off, because /m);
});
