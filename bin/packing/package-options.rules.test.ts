import { expect, test } from 'vitest';
import { packageUsage, readPackageOptions } from './package-options.rules.ts';

const own = { platform: 'linux', arch: 'x64' };

test('are for this system if nothing else is named, and leave the others to electron-builder', () => {
  expect(readPackageOptions(['--publish', 'never', '-c.mac.identity=-'], own)).toEqual({
    node: undefined,
    nodeLicense: undefined,
    isBuilt: false,
    isHelp: false,
    target: own,
    builderArguments: ['--publish', 'never', '-c.mac.identity=-'],
  });
});

test('name the Node to pack, as two words or as one', () => {
  const words = ['--node', '/opt/node', '--node-license=/opt/LICENSE', '--built', '--dir'];
  expect(readPackageOptions(words, own)).toMatchObject({
    node: '/opt/node',
    nodeLicense: '/opt/LICENSE',
    isBuilt: true,
    builderArguments: ['--dir'],
  });
});

test('ask for help without packing anything', () => {
  for (const word of ['--help', '-h']) {
    const options = readPackageOptions([word], own);
    expect(options).toMatchObject({ isHelp: true, builderArguments: [] });
  }
  for (const word of ['--node ', '--node-license', '--built', '--linux', '--x64', '--dir'])
    expect(packageUsage).toContain(word);
});

test.each([
  [['--mac', '--arm64'], { platform: 'darwin', arch: 'arm64' }],
  [['-w'], { platform: 'win32', arch: 'x64' }],
  [['--linux', 'deb'], own],
])('%j packs for %j', (words, target) => {
  expect(readPackageOptions(words, own).target).toEqual(target);
});

test.each([
  [['--node'], '--node requires a file.'],
  [['--node-license='], '--node-license requires a file.'],
  [['--mac', '--win'], 'pass one system at a time'],
  [['--x64', '--arm64'], 'pass one architecture at a time'],
  [['-mwl'], '"-mwl" is not supported. Pass --linux, --mac, or --win, and --x64 or --arm64.'],
  [['--linux', 'deb:arm64'], '"deb:arm64" is not supported.'],
  [['--mac', '--universal'], '"--universal" is not supported.'],
])('%j are refused', (words, sentence) => {
  expect(() => readPackageOptions(words, own)).toThrow(sentence);
});
