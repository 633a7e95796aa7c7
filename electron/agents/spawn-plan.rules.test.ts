import { expect, test } from 'vitest';
import {
  mergedPath,
  passedEnvironment,
  pathBetweenMarkers,
  type RunChoices,
  runnerArguments,
  runnerEnvironment,
  runnerProgram,
} from './spawn-plan.rules.ts';

const choices: RunChoices = {
  member: 'ben',
  kind: 'claude-code',
  program: null,
  folder: '/work/here',
  args: [],
  isUnattended: false,
  modelUrl: null,
};

test('takes Node and the command from the checkout, or from the resources of the packaged app', () => {
  const where = {
    platform: 'linux',
    resourcesPath: '/opt/Muster/resources',
    appPath: '/src/muster',
    checkoutNode: '/usr/bin/node',
  };
  const script = '/src/muster/bin/muster';
  expect(runnerProgram({ ...where, isPackaged: false })).toEqual({ node: '/usr/bin/node', script });
  expect(runnerProgram({ ...where, isPackaged: false, checkoutNode: undefined })).toEqual({
    node: '/src/muster/node_modules/node/bin/node',
    script,
  });
  expect(runnerProgram({ ...where, isPackaged: true })).toEqual({
    node: '/opt/Muster/resources/node/node',
    script: '/opt/Muster/resources/command/muster.js',
  });
  expect(
    runnerProgram({
      platform: 'win32',
      isPackaged: true,
      resourcesPath: 'C:\\M\\resources',
      appPath: '',
      checkoutNode: undefined,
    }),
  ).toEqual({ node: 'C:\\M\\resources\\node\\node.exe', script: 'C:\\M\\resources\\command\\muster.js' });
});

test('tells the runner to take over only if it is asked to', () => {
  const words = runnerArguments('/svc', choices, true);
  expect(words.slice(0, words.indexOf('--'))).toContain('--take-over');
  expect(runnerArguments('/svc', choices, false)).not.toContain('--take-over');
});

test('puts the arguments for the agent after `--`, so that none is read as an option of the runner', () => {
  const args = ['--as', 'ada', '--url=http://evil'];
  const words = runnerArguments(
    '/svc',
    { ...choices, args, isUnattended: true, modelUrl: 'http://m' },
    false,
  );
  const end = words.indexOf('--');
  expect(words.slice(0, end)).toEqual([
    '/svc',
    'run',
    '--json',
    '--cwd',
    '/work/here',
    '--unattended',
    '--model-url',
    'http://m',
  ]);
  expect(words.slice(end + 1)).toEqual(['claude-code', ...args]);
  expect(runnerArguments('/svc', { ...choices, kind: 'command', program: '/bin/tool' }, false).at(-1)).toBe(
    '/bin/tool',
  );
});

test('passes only listed variables on, and nothing of the app, the broker, or another program', () => {
  const env = {
    HOME: '/home/ada',
    LC_ALL: 'C.UTF-8',
    https_proxy: 'http://proxy',
    ANTHROPIC_API_KEY: 'theirs',
    SVC_KEK: 'the key',
    SVC_TOKEN: 'another',
    ELECTRON_RUN_AS_NODE: '1',
    NODE_OPTIONS: '--require /tmp/x',
    LD_PRELOAD: '/tmp/x.so',
    AWS_SECRET_ACCESS_KEY: 'x',
  };
  const given = { platform: 'linux', env, path: '/bin', url: 'http://127.0.0.1:1', token: 'bearer' };
  expect(runnerEnvironment(given)).toEqual({
    HOME: '/home/ada',
    LC_ALL: 'C.UTF-8',
    https_proxy: 'http://proxy',
    ANTHROPIC_API_KEY: 'theirs',
    PATH: '/bin',
    SVC_URL: 'http://127.0.0.1:1',
    SVC_TOKEN: 'bearer',
  });
  expect(passedEnvironment('win32', { SystemRoot: 'C:\\Windows', Path: 'C:\\x' })).toEqual({
    SystemRoot: 'C:\\Windows',
  });
});

test('puts the login shell’s folders first, and keeps the app’s own folders that it does not name', () => {
  expect(mergedPath('linux', '/usr/bin:/bin:relative:', '/home/ada/bin:/usr/bin')).toBe(
    '/home/ada/bin:/usr/bin:/bin',
  );
  expect(mergedPath('darwin', '/usr/bin:/bin', null)).toBe('/usr/bin:/bin');
  expect(mergedPath('win32', 'C:\\a;D:\\b;.', null)).toBe('C:\\a;D:\\b');
});

test('reads the PATH between the markers, whatever else the shell prints', () => {
  expect(pathBetweenMarkers('Welcome!\nm-1\n/a:/b\nm-1\nbye\n', 'm-1')).toBe('/a:/b');
  expect(pathBetweenMarkers('m-1\n\nm-1\n', 'm-1')).toBeNull();
  expect(pathBetweenMarkers('m-1\n/a\n', 'm-1')).toBeNull();
  expect(pathBetweenMarkers('', 'm-1')).toBeNull();
});
