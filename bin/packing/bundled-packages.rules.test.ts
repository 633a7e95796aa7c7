import { expect, test } from 'vitest';
import { packageFolderOf } from './bundled-packages.rules.ts';

const root = '/src/muster/';

test.each([
  ['/src/muster/node_modules/zod/v4/core.js', 'node_modules/zod'],
  ['/src/muster/node_modules/@a/b/index.js?commonjs-proxy', 'node_modules/@a/b'],
  ['/src/muster/node_modules/ajv/node_modules/fast-uri/index.js', 'node_modules/ajv/node_modules/fast-uri'],
  ['/src/muster/broker/create-broker.ts', null],
  ['\0/src/muster/node_modules/react/index.js?commonjs-es-import', 'node_modules/react'],
  ['\0rolldown/runtime.js', 'node_modules/rolldown'],
  ['\0vite/preload-helper.js', 'node_modules/vite'],
])('%j belongs to %j', (id, folder) => {
  expect(packageFolderOf(id, root)).toBe(folder);
});

test('a module on Windows belongs to its package, too', () => {
  expect(packageFolderOf('C:\\src\\node_modules\\@a\\b\\x.js', 'C:\\src\\')).toBe('node_modules/@a/b');
});

test('refuses a generated module of unknown origin by name', () => {
  expect(() => packageFolderOf('\0other/helper.js', root)).toThrow('"other/helper.js" is unknown');
});
