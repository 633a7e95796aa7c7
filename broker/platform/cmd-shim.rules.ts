/**
 * The programs behind the shims that npm, pnpm, and Yarn put on the PATH of Windows for a package. Node starts no `.cmd`
 * or `.bat` without a shell, whose rules for arguments are unsafe (CVE-2024-27980), so the program itself is started.
 */

export interface ShimTarget {
  /** A path in Windows's notation, or the bare name of an interpreter such as `node`. */
  program: string;
  /** The arguments before the caller's own, with absolute paths. */
  args: readonly string[];
}

/** Lines that only find the folder of the shim, choose between two interpreters, or set where Node looks for modules. */
const preparing = [
  /^$/,
  /^(?:@?rem\b|::).*$/i,
  /^@?echo off$/i,
  /^@?setlocal$/i,
  /^goto start$/i,
  /^:(?:find_dp0|start)$/i,
  /^set dp0=%~dp0$/i,
  /^exit \/b$/i,
  /^call :find_dp0$/i,
  /^@?if exist "%~?dp0%?\\[^"]+" \($/i,
  /^@?if not defined node_path \($/i,
  /^\) else \($/i,
  /^\)$/,
  /^@?set "?pathext=%pathext:;\.js;=(?:;|%;)?%?"?$/i,
  /^@?set "node_path=[^"]*"$/i,
];
const setProgram = /^set "_prog=([^"]+)"$/i;
/** How npm leaves the variables of the shim before it starts the program. */
const leaving = /^endlocal & goto #_undefined_# 2>nul \|\| title %comspec% & /i;
const word = /"([^"]*)"|(\S+)/g;

/**
 * Returns what a shim starts; null if the text has anything else in it, for example settings of the environment. `folder`
 * is the absolute path of the folder that contains the shim. Formats: npm's cmd-shim (also that of npm 6), and
 * `@zkochan/cmd-shim` of pnpm and Yarn.
 */
export function readShim(text: string, folder: string): ShimTarget | null {
  let interpreter: string | undefined;
  let found: ShimTarget | null = null;
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    const set = setProgram.exec(line);
    if (set !== null) interpreter = set[1];
    else if (line.endsWith('%*')) {
      // The last one counts: the ones before it are for an interpreter in the same folder.
      found = targetOf(line.replace(/^@/, '').replace(leaving, ''), interpreter, folder);
      if (found === null) return null;
    } else if (!preparing.some((pattern) => pattern.test(line))) return null;
  }
  return found;
}

function targetOf(line: string, interpreter: string | undefined, folder: string): ShimTarget | null {
  const words = [...line.matchAll(word)].map(([, quoted, bare]) => quoted ?? bare ?? '').slice(0, -1);
  const [program, ...args] = words.map((one) => expanded(one, interpreter, folder));
  if (program === undefined || program === null || args.includes(null)) return null;
  return { program, args: args.filter((one) => one !== null) };
}

/** Returns null if a variable is left, or what only a shell understands. */
function expanded(text: string, interpreter: string | undefined, folder: string): string | null {
  const value = text === '%_prog%' ? (interpreter ?? text) : text;
  const [, rest] = /^(?:%~dp0|%dp0%)\\?(.*)$/i.exec(value) ?? [];
  const path =
    rest === undefined || /^[a-z]:\\/i.test(rest) ? (rest ?? value) : `${folder.replace(/\\$/, '')}\\${rest}`;
  return /[%&|<>^]/.test(path.slice(rest === undefined ? 0 : folder.length)) ? null : path;
}
