import { expect, it } from 'vitest';
import { isOlder, versionIn } from './version.rules.ts';

it.each([
  ['2.1.197 (Claude Code)', '2.1.197'],
  ['codex-cli 0.169.0', '0.169.0'],
  ['codex-cli 0.170.0-alpha.3', '0.170.0'],
  ['what is this', null],
])('finds the version in %j', (text, version) => {
  expect(versionIn(text)).toBe(version);
});

it.each([
  ['2.1.165', '2.1.166', true],
  ['2.1.166', '2.1.166', false],
  ['2.1.1000', '2.1.166', false],
  ['2.0.999', '2.1.0', true],
  ['3', '2.1.166', false],
  ['2.1', '2.1.0', false],
] as const)('%s is older than %s: %s', (version, than, isIt) => {
  expect(isOlder(version, than)).toBe(isIt);
});
