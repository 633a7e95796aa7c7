import { describe, expect, it } from 'vitest';
import { appPaths } from './paths.ts';

const linux = (env: Record<string, string> = {}) => appPaths({ platform: 'linux', env, home: '/home/ada' });

describe('default locations', () => {
  it('follow the XDG defaults on Linux', () => {
    expect(linux()).toEqual({
      configDir: '/home/ada/.config/svc',
      configPath: '/home/ada/.config/svc/svc.json',
      authPath: '/home/ada/.config/svc/auth.json',
      pinsPath: '/home/ada/.config/svc/pins.json',
      telemetryPath: '/home/ada/.config/svc/telemetry.json',
      dataDir: '/home/ada/.local/share/svc',
      mainDbPath: '/home/ada/.local/share/svc/main.db',
      activityDbPath: '/home/ada/.local/share/svc/activity.db',
      filesRoot: '/home/ada/.local/share/svc/files',
      logsDir: '/home/ada/.cache/svc/logs',
      runsDir: '/home/ada/.cache/svc/runs',
    });
  });

  it('are the same on a BSD as on Linux', () => {
    expect(appPaths({ platform: 'freebsd', env: {}, home: '/home/ada' })).toEqual(linux());
  });

  it('use the XDG folders if they are set', () => {
    const env = { XDG_CONFIG_HOME: '/x/config/', XDG_DATA_HOME: '/x/data', XDG_CACHE_HOME: '/x/cache' };
    expect(linux(env)).toMatchObject({
      authPath: '/x/config/svc/auth.json',
      mainDbPath: '/x/data/svc/main.db',
      logsDir: '/x/cache/svc/logs',
      runsDir: '/x/cache/svc/runs',
    });
  });

  it.each(['relative', './relative', '~/x', ''])('ignore the relative XDG value %j', (value) => {
    const env = { XDG_CONFIG_HOME: value, XDG_DATA_HOME: value, XDG_CACHE_HOME: value };
    expect(linux(env)).toEqual(linux());
  });

  it('are all in Application Support on macOS, with logs in Caches, whatever XDG says', () => {
    const env = { XDG_CONFIG_HOME: '/x/config' };
    const support = '/Users/ada/Library/Application Support/svc';
    expect(appPaths({ platform: 'darwin', env, home: '/Users/ada' })).toMatchObject({
      configPath: `${support}/svc.json`,
      authPath: `${support}/auth.json`,
      mainDbPath: `${support}/main.db`,
      filesRoot: `${support}/files`,
      logsDir: '/Users/ada/Library/Caches/svc/logs',
      runsDir: '/Users/ada/Library/Caches/svc/runs',
    });
  });

  it('are APPDATA for configuration and LOCALAPPDATA for data on Windows', () => {
    const env = { APPDATA: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local\\' };
    expect(appPaths({ platform: 'win32', env, home: 'C:\\Users\\ada' })).toMatchObject({
      authPath: 'D:\\Roaming\\svc\\auth.json',
      pinsPath: 'D:\\Roaming\\svc\\pins.json',
      activityDbPath: 'D:\\Local\\svc\\activity.db',
      logsDir: 'D:\\Local\\svc\\logs',
      runsDir: 'D:\\Local\\svc\\runs',
    });
  });

  it('are below the home folder on Windows if the environment does not name them', () => {
    expect(appPaths({ platform: 'win32', env: { APPDATA: 'x' }, home: 'C:\\Users\\ada' })).toMatchObject({
      configPath: 'C:\\Users\\ada\\AppData\\Roaming\\svc\\svc.json',
      dataDir: 'C:\\Users\\ada\\AppData\\Local\\svc',
    });
  });

  it('use each override as it is written, and treat an empty one as not set', () => {
    const env = {
      SVC_CONFIG_PATH: 'here.json',
      SVC_AUTH_CONFIG_PATH: '/a/bearers.json',
      SVC_TELEMETRY_PATH: '/t/state.json',
      SVC_DB_PATH: ':memory:',
      SVC_ACTIVITY_DB_PATH: '',
    };
    expect(linux(env)).toMatchObject({
      configPath: 'here.json',
      authPath: '/a/bearers.json',
      telemetryPath: '/t/state.json',
      mainDbPath: ':memory:',
      activityDbPath: '/home/ada/.local/share/svc/activity.db',
      filesRoot: 'files',
    });
  });

  it.each([
    ['/a/bearers.json', '/a/pins.json'],
    ['/bearers.json', '/pins.json'],
    ['bearers.json', 'pins.json'],
  ])('have the pins beside the bearer cache %j', (authPath, pinsPath) => {
    expect(linux({ SVC_AUTH_CONFIG_PATH: authPath }).pinsPath).toBe(pinsPath);
  });
});
