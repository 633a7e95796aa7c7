/** The default paths of all files and folders (specification/configuration.md#paths). Pure; imports nothing. */

export type Env = Readonly<Record<string, string | undefined>>;

export interface PathsInput {
  /** The value of `process.platform`. Everything except `darwin` and `win32` follows the XDG rules. */
  platform: string;
  env: Env;
  /** The person's home folder, absolute. */
  home: string;
}

export interface AppPaths {
  configDir: string;
  configPath: string;
  authPath: string;
  pinsPath: string;
  telemetryPath: string;
  dataDir: string;
  mainDbPath: string;
  activityDbPath: string;
  /** As a new configuration names it; a relative one is below the configuration's folder. */
  filesRoot: string;
  logsDir: string;
  /** The folder for data that runs of agents keep between starts, and may lose. */
  runsDir: string;
}

interface BaseFolders {
  separator: '/' | '\\';
  config: string;
  data: string;
  cache: string;
}

/**
 * Defaults of the desktop app, `npm start`, and the client verbs: everything in the person's own folders.
 * `SVC_CONFIG_PATH`, `SVC_AUTH_CONFIG_PATH`, `SVC_TELEMETRY_PATH`, `SVC_DB_PATH`, and `SVC_ACTIVITY_DB_PATH`
 * override theirs, as written; an empty one counts as not set. Files stay beside a configuration that is elsewhere, and
 * `pins.json` beside `auth.json`. Not for `muster serve`.
 */
export function appPaths(input: PathsInput): AppPaths {
  const { env } = input;
  const base = baseFolders(input);
  const inside = (folder: string, ...names: string[]) => [folder, ...names].join(base.separator);
  const configDir = inside(base.config, 'svc');
  const dataDir = inside(base.data, 'svc');
  const authPath = env.SVC_AUTH_CONFIG_PATH || inside(configDir, 'auth.json');
  return {
    configDir,
    configPath: env.SVC_CONFIG_PATH || inside(configDir, 'svc.json'),
    authPath,
    pinsPath: beside(authPath, 'pins.json', input.platform),
    telemetryPath: env.SVC_TELEMETRY_PATH || inside(configDir, 'telemetry.json'),
    dataDir,
    mainDbPath: env.SVC_DB_PATH || inside(dataDir, 'main.db'),
    activityDbPath: env.SVC_ACTIVITY_DB_PATH || inside(dataDir, 'activity.db'),
    filesRoot: env.SVC_CONFIG_PATH ? 'files' : inside(dataDir, 'files'),
    logsDir: inside(base.cache, 'svc', 'logs'),
    runsDir: inside(base.cache, 'svc', 'runs'),
  };
}

function baseFolders({ platform, env, home }: PathsInput): BaseFolders {
  if (platform === 'win32') {
    const local = absoluteOnWindows(env.LOCALAPPDATA) ?? `${home}\\AppData\\Local`;
    const roaming = absoluteOnWindows(env.APPDATA) ?? `${home}\\AppData\\Roaming`;
    return { separator: '\\', config: roaming, data: local, cache: local };
  }
  if (platform === 'darwin') {
    const support = `${home}/Library/Application Support`;
    return { separator: '/', config: support, data: support, cache: `${home}/Library/Caches` };
  }
  return {
    separator: '/',
    config: absolute(env.XDG_CONFIG_HOME) ?? `${home}/.config`,
    data: absolute(env.XDG_DATA_HOME) ?? `${home}/.local/share`,
    cache: absolute(env.XDG_CACHE_HOME) ?? `${home}/.cache`,
  };
}

/** The XDG specification requires that relative values are ignored. */
function absolute(folder: string | undefined): string | undefined {
  return folder?.startsWith('/') ? folder.replace(/(?<=.)\/+$/, '') : undefined;
}

function absoluteOnWindows(folder: string | undefined): string | undefined {
  return folder && /^(?:[A-Za-z]:[\\/]|\\\\)/.test(folder) ? folder.replace(/[\\/]+$/, '') : undefined;
}

function beside(file: string, name: string, platform: string): string {
  const lastSeparator = platform === 'win32' ? /[\\/][^\\/]*$/ : /\/[^/]*$/;
  const at = file.search(lastSeparator);
  return at < 0 ? name : file.slice(0, at + 1) + name;
}
