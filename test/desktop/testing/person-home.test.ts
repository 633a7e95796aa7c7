import { expect, test, vi } from 'vitest';
import { appPaths } from '#protocol/paths.ts';
import { homeEnvironment } from './person-home.ts';

test.each(['linux', 'darwin', 'win32'])('keeps every file of the app in the home on %s', (platform) => {
  const home = platform === 'win32' ? 'C:\\home' : '/home/person';
  // They are joined as on the system of the test.
  const env = Object.fromEntries(
    Object.entries(homeEnvironment(home)).map(([name, value]) => [
      name,
      value?.replaceAll('/', platform === 'win32' ? '\\' : '/'),
    ]),
  );
  const { filesRoot, ...paths } = appPaths({ platform, env, home });
  for (const path of [filesRoot, ...Object.values(paths)]) expect(path.startsWith(home)).toBe(true);
});

test('leaves no variable of Muster from the person who runs the tests', () => {
  vi.stubEnv('SVC_CONFIG_PATH', '/mine/svc.json');
  try {
    expect(homeEnvironment('/home')).toMatchObject({ SVC_CONFIG_PATH: undefined, HOME: '/home' });
    expect('SVC_CONFIG_PATH' in homeEnvironment('/home')).toBe(true);
  } finally {
    vi.unstubAllEnvs();
  }
});
