import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeObstacles } from './claude-obstacles.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-obstacles-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const user = 'home/settings.json';
const project = 'work/.claude/settings.json';
const local = 'work/.claude/settings.local.json';
const managed = 'managed/managed-settings.json';

function write(name: string, settings: unknown): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), typeof settings === 'string' ? settings : JSON.stringify(settings));
}
const found = (usesHooks = true) =>
  claudeObstacles({
    cwd: join(folder, 'work'),
    configFolder: join(folder, 'home'),
    managedFolder: join(folder, 'managed'),
    usesHooks,
  });

describe('settings that keep messages or tools from Claude Code', () => {
  it.each([
    [user, { disableAllHooks: true }, 'disableAllHooks'],
    [project, { disableAllHooks: true }, 'disableAllHooks'],
    [managed, { allowManagedHooksOnly: true }, 'allowManagedHooksOnly'],
    [local, { disabledMcpjsonServers: ['svc'] }, 'disabledMcpjsonServers'],
    [user, { deniedMcpServers: [{ serverName: 'svc' }] }, 'deniedMcpServers'],
    [project, { permissions: { deny: ['mcp__svc'] } }, 'permissions.deny'],
    [project, { permissions: { deny: ['mcp__svc__*'] } }, 'permissions.deny'],
  ])('are named with their file: %s %j', async (name, settings, setting) => {
    write(name, settings);
    const [sentence, ...others] = await found();
    expect(sentence).toContain(`"${setting}" in "${join(folder, name)}"`);
    expect(others).toEqual([]);
  });

  it.each([
    [user, { disabledMcpjsonServers: ['other'], permissions: { deny: ['mcp__svc__send', 'Bash'] } }],
    [user, { allowManagedHooksOnly: true, deniedMcpServers: [{ serverName: 'other' }] }],
    [user, { disableAllHooks: 'no', permissions: 3 }],
    [user, '{'],
  ])('are not found in %s %j', async (name, settings) => {
    write(name, settings);
    expect(await found()).toEqual([]);
  });

  it('do not count if a stronger file says otherwise, or if no hooks are used', async () => {
    write(user, { disableAllHooks: true });
    expect(await found(false)).toEqual([]);
    write(local, { disableAllHooks: false });
    expect(await found()).toEqual([]);
  });
});
