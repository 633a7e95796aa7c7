/**
 * How the desktop app starts the runner of an agent: program, arguments, and environment, without a shell
 * (specification/desktop.md#renderer-and-security).
 */

import type { AgentKindId } from '../../runner/agents/agent-kinds.ts';

/**
 * The choices of a person for a run. Paths are absolute and come from a dialog or from the list of recent
 * runs.
 */
export interface RunChoices {
  member: string;
  kind: AgentKindId;
  /** Set for kinds whose program the person names; null for the others. */
  program: string | null;
  folder: string;
  /** Passed to the agent unchanged. */
  args: readonly string[];
  isUnattended: boolean;
  /** The address for the agent's model requests; null for the agent's own setting. */
  modelUrl: string | null;
}

export interface Installation {
  /** A value of `process.platform`. */
  platform: string;
  isPackaged: boolean;
  /** The folder of the packaged app's extra resources. */
  resourcesPath: string;
  /** The root of a checkout. */
  appPath: string;
  /** The Node that started the app from a checkout (`SVC_NODE`); the packaged app ignores it. */
  checkoutNode: string | undefined;
}

export interface RunnerProgram {
  /** The Node that runs the command. It is never the program of the app, which does not run scripts. */
  node: string;
  script: string;
}

/**
 * Returns the program and the script of the runner. The packaged app contains both (`extraResources`); a
 * checkout has the script as its source, and runs it on the Node that started the app. If the engine was started without
 * one, the checkout's own package is used.
 */
export function runnerProgram(installation: Installation): RunnerProgram {
  const { platform, isPackaged, resourcesPath, appPath, checkoutNode } = installation;
  const separator = platform === 'win32' ? '\\' : '/';
  const inside = (...names: string[]): string => names.join(separator);
  const node = platform === 'win32' ? 'node.exe' : 'node';
  return isPackaged
    ? { node: inside(resourcesPath, 'node', node), script: inside(resourcesPath, 'command', 'muster.js') }
    : {
        node: checkoutNode || inside(appPath, 'node_modules', 'node', 'bin', node),
        script: inside(appPath, 'bin', 'muster'),
      };
}

/**
 * Returns the arguments of `node`, which never include the bearer token. `takesOver`: the run ends the other run of its
 * member.
 */
export function runnerArguments(script: string, choices: RunChoices, takesOver: boolean): string[] {
  const { kind, program, folder, args, isUnattended, modelUrl } = choices;
  return [
    script,
    'run',
    '--json',
    '--cwd',
    folder,
    ...(takesOver ? ['--take-over'] : []),
    ...(isUnattended ? ['--unattended'] : []),
    ...(modelUrl === null ? [] : ['--model-url', modelUrl]),
    // The arguments that follow are never read as options of the runner.
    '--',
    program ?? kind,
    ...args,
  ];
}

const passed = [
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TZ|TERM|COLORTERM|TMPDIR|DISPLAY|WAYLAND_DISPLAY|SSH_AUTH_SOCK|GNUPGHOME|__CF_USER_TEXT_ENCODING)$/,
  /^(?:LC|XDG)_[A-Z_]+$/,
  /^(?:HTTPS?|ALL|NO)_PROXY$/i,
  /^(?:SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|DBUS_SESSION_BUS_ADDRESS)$/,
  // Settings and credentials of the agents.
  /^(?:ANTHROPIC|CLAUDE|OPENAI|CODEX)_[A-Z0-9_]+$/,
];
const passedOnWindows =
  /^(?:SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles(?:\(x86\))?|ProgramW6432|CommonProgramFiles(?:\(x86\))?|USERPROFILE|USERNAME|USERDOMAIN|HOMEDRIVE|HOMEPATH|COMPUTERNAME|TEMP|TMP|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS)$/i;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the part of the app's environment that its child processes get: a list of allowed names, so that
 * nothing of the app or the broker is passed on by accident.
 */
export function passedEnvironment(platform: string, env: Env): Record<string, string> {
  const patterns = platform === 'win32' ? [...passed, passedOnWindows] : passed;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value !== undefined && patterns.some((pattern) => pattern.test(name)) ? [[name, value]] : [],
    ),
  );
}

export interface RunnerEnvironment {
  platform: string;
  env: Env;
  /** Built by `mergedPath`. */
  path: string;
  url: string;
  token: string;
}

/**
 * Returns the environment of the runner. Only this environment holds the bearer token; the runner passes no
 * `SVC_…` variable on to the agent.
 */
export function runnerEnvironment(given: RunnerEnvironment): Record<string, string> {
  const { platform, env, path, url, token } = given;
  return { ...passedEnvironment(platform, env), PATH: path, SVC_URL: url, SVC_TOKEN: token };
}

/** Returns the login shell's folders, then the app's folders that it does not name; absolute ones only. */
export function mergedPath(platform: string, own: string, login: string | null): string {
  const separator = platform === 'win32' ? ';' : ':';
  const isAbsolute = (folder: string): boolean =>
    platform === 'win32' ? /^(?:[a-z]:[\\/]|\\\\)/i.test(folder) : folder.startsWith('/');
  const folders = [login ?? '', own].flatMap((path) => path.split(separator)).filter(isAbsolute);
  return [...new Set(folders)].join(separator);
}

/**
 * Returns the text between the two marker lines, because startup files may print other text; null if a marker
 * is missing.
 */
export function pathBetweenMarkers(output: string, marker: string): string | null {
  const lines = output.split(/\r?\n/);
  const from = lines.indexOf(marker);
  const to = lines.indexOf(marker, from + 1);
  if (from < 0 || to !== from + 2) return null;
  const path = lines[from + 1] ?? '';
  return path === '' || path.length > 32_768 ? null : path;
}
