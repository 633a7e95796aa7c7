import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claudeModelUrl, claudeSources } from './claude-settings.ts';

const url = (name: string) => ({ env: { ANTHROPIC_BASE_URL: `https://${name}.example` } });
const [local, project, user, managed] = [
  'project/.claude/settings.local.json',
  'project/.claude/settings.json',
  'config/settings.json',
  'managed/managed-settings.json',
];

it.each<[string, Record<string, object>, Record<string, string>, string | null]>([
  ['the vendor', {}, {}, 'https://api.anthropic.com'],
  ['the environment', {}, url('env').env, 'https://env.example'],
  ['the settings of the person', { [user]: url('user') }, url('env').env, 'https://user.example'],
  [
    'those of a folder, which only Claude Code trusts',
    { [user]: url('user'), [project]: url('p') },
    {},
    null,
  ],
  ['those of the person there, perhaps', { [local]: url('local') }, {}, null],
  ['those of an administrator, which nothing overrides', { [managed]: url('managed') }, {}, null],
  ['another cloud', { [project]: { env: { CLAUDE_CODE_USE_BEDROCK: '1' } } }, {}, null],
])('lets model requests go to the address of %s', async (_, files, env, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-claude-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, settings] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), JSON.stringify(settings));
  }
  const at = (name: string) => join(folder, name);
  const sources = await claudeSources(at('project'), at('config'), at('managed'));
  expect(claudeModelUrl(sources, env)).toBe(expected);
});
