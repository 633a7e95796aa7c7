/** How the desktop starts the runner of an agent: program, arguments, environment (design "Renderer and security": agents are spawned without a shell). */

import type { AgentKindId } from '../../runner/agents/agent-kinds.ts';

/** What a person chose for a run. Paths are absolute, and come from a dialog or from the list of recent runs. */
export interface RunChoices {
  member: string;
  kind: AgentKindId;
  /** Of a kind whose program the person names; null for the others. */
  program: string | null;
  folder: string;
  /** For the agent, as they are. */
  args: readonly string[];
  isUnattended: boolean;
  /** Where the agent's model requests go; null: where the agent itself would send them. */
  modelUrl: string | null;
}

export interface Installation {
  /** As `process.platform` says it. */
  platform: string;
  isPackaged: boolean;
  /** Of the packed app: its extra resources. */
  resourcesPath: string;
  /** Of a checkout: its root. */
  appPath: string;
}

export interface RunnerProgram {
  /** A Node that runs the command; never the app's own program, which does not run scripts. */
  node: string;
  script: string;
}

/** The packed app brings both (`extraResources`); a checkout has Node from the registry and the command as it is. */
export function runnerProgram({ platform, isPackaged, resourcesPath, appPath }: Installation): RunnerProgram {
  const separator = platform === 'win32' ? '\\' : '/';
  const inside = (...names: string[]): string => names.join(separator);
  const node = platform === 'win32' ? 'node.exe' : 'node';
  return isPackaged
    ? { node: inside(resourcesPath, 'node', node), script: inside(resourcesPath, 'svc', 'svc.js') }
    : { node: inside(appPath, 'node_modules', 'node', 'bin', node), script: inside(appPath, 'bin', 'svc') };
}

/** What stands behind `node`. The bearer is not among it. */
export function runnerArguments(script: string, choices: RunChoices): string[] {
  const { kind, program, folder, args, isUnattended, modelUrl } = choices;
  return [
    script,
    'run',
    '--json',
    '--cwd',
    folder,
    ...(isUnattended ? ['--unattended'] : []),
    ...(modelUrl === null ? [] : ['--model-url', modelUrl]),
    // Behind it nothing is an option of ours, whatever it looks like.
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
  // The agents' own settings and log-ins.
  /^(?:ANTHROPIC|CLAUDE|OPENAI|CODEX)_[A-Z0-9_]+$/,
];
const passedOnWindows =
  /^(?:SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles(?:\(x86\))?|ProgramW6432|CommonProgramFiles(?:\(x86\))?|USERPROFILE|USERNAME|USERDOMAIN|HOMEDRIVE|HOMEPATH|COMPUTERNAME|TEMP|TMP|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS)$/i;

type Env = Readonly<Record<string, string | undefined>>;

/** What of the app's own environment goes on to what it starts: a list, so that nothing of the app or the broker slips along. */
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
  /** See mergedPath. */
  path: string;
  url: string;
  token: string;
}

/** The only place that holds the bearer; the runner passes nothing named `SVC_…` on to the agent. */
export function runnerEnvironment(given: RunnerEnvironment): Record<string, string> {
  const { platform, env, path, url, token } = given;
  return { ...passedEnvironment(platform, env), PATH: path, SVC_URL: url, SVC_TOKEN: token };
}

/** The login shell's folders first, then those of the app that it does not name. Only absolute ones. */
export function mergedPath(platform: string, own: string, login: string | null): string {
  const separator = platform === 'win32' ? ';' : ':';
  const isAbsolute = (folder: string): boolean =>
    platform === 'win32' ? /^(?:[a-z]:[\\/]|\\\\)/i.test(folder) : folder.startsWith('/');
  const folders = [login ?? '', own].flatMap((path) => path.split(separator)).filter(isAbsolute);
  return [...new Set(folders)].join(separator);
}

/** Between two lines with the marker, whatever start-up files print around them; null when it is not there. */
export function pathBetweenMarkers(output: string, marker: string): string | null {
  const lines = output.split(/\r?\n/);
  const from = lines.indexOf(marker);
  const to = lines.indexOf(marker, from + 1);
  if (from < 0 || to !== from + 2) return null;
  const path = lines[from + 1] ?? '';
  return path === '' || path.length > 32_768 ? null : path;
}
