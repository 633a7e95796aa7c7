/**
 * The stand-in is complete: it has every member of `electron` that the app uses. `tsc` checks the same
 * against the real typings.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as electron from './electron.ts';

const folder = fileURLToPath(new URL('../../electron', import.meta.url));
/** The preload runs in a page, where the stand-in has them. */
const preloadOnly = ['contextBridge', 'ipcRenderer'];

function usedMembers(): string[] {
  const used = new Set<string>();
  for (const file of readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )) {
    const text = readFileSync(join(folder, file), 'utf8');
    const names = /import \{([^}]*)\} from 'electron';/.exec(text)?.[1]?.split(',') ?? [];
    for (const name of names
      .map((one) => one.trim())
      .filter((one) => one !== '' && !one.startsWith('type '))) {
      if (preloadOnly.includes(name)) continue;
      const [exported = name, local = exported] = name.split(' as ');
      used.add(exported);
      for (const [, member] of text.matchAll(new RegExp(`(?<![-.'\\w])${local}\\.(\\w+)`, 'g')))
        used.add(`${exported}.${member}`);
    }
  }
  return [...used];
}

test('has every member of electron that the app uses', () => {
  const used = usedMembers();
  expect(used.length).toBeGreaterThan(20);
  const has = (path: string): boolean => {
    let at: unknown = electron;
    for (const part of path.split('.')) {
      if (at === null || (typeof at !== 'object' && typeof at !== 'function') || !(part in at)) return false;
      at = (at as Record<string, unknown>)[part];
    }
    return true;
  };
  expect(used.filter((path) => !has(path))).toEqual([]);
});
