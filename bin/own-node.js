// Plain JavaScript for a Node that is too old to run TypeScript. Every start of `muster` loads this file, so what only
// some need is imported later.
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The oldest major version of Node that runs everything. */
export const oldestNode = 24;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isCheckout = existsSync(join(root, 'bin', 'entry.js'));
const probeTimeoutMs = 10_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

const isNewEnough = (version) => Number.parseInt(version.replace(/^v/, ''), 10) >= oldestNode;

/**
 * Returns the program of the Node to use: the installed one if it runs, otherwise the running one if it is new
 * enough, otherwise null.
 */
export function chooseNode({ running, runningVersion, installed, installedVersion }) {
  if (installed === running && isNewEnough(runningVersion)) return running;
  if (installed !== null && isNewEnough(installedVersion() ?? '')) return installed;
  return isNewEnough(runningVersion) ? running : null;
}

const again = isCheckout ? 'run "npm ci" in that folder again' : 'install Muster again';
/** Why the installed Node does not run, in the words of the system; empty if it says nothing. */
let installedFault = '';

/**
 * Returns the program of the optional package `node`; null if the package or the program in it is missing. A package
 * manager may put that package beside this one.
 */
function installedNode() {
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const folders = [join(root, 'node_modules')];
  if (!isCheckout) folders.push(join(root, '..'), join(root, '..', '..'));
  const path = folders.map((folder) => join(folder, 'node', 'bin', program)).find(existsSync);
  return path === undefined ? null : realpathSync(path);
}

/**
 * Returns the program of the Node that runs everything here; null if this machine has none. A checkout prefers the one
 * that it installed, so that everybody tests the same. An installed Muster spares itself that process.
 */
export async function ownNode() {
  if (!isCheckout && isNewEnough(process.version)) return realpathSync(process.execPath);
  const installed = installedNode();
  return chooseNode({
    running: realpathSync(process.execPath),
    runningVersion: process.version,
    installed,
    installedVersion() {
      const { spawnSync } = createRequire(import.meta.url)('node:child_process');
      const options = { encoding: 'utf8', timeout: probeTimeoutMs, windowsHide: true };
      const { status, stdout, stderr } = spawnSync(installed, ['--version'], options);
      if (status === 0) return stdout.trim();
      installedFault = stderr?.trim().split('\n')[0] ?? '';
      return null;
    },
  });
}

/** Prints what to do if this machine has no Node that is new enough. */
export function reportMissingNode() {
  const why = installedFault === '' ? '' : ` (${installedFault})`;
  console.error(
    `muster: Node ${oldestNode} or newer is required, but this is ${process.version}, and "${root}" contains none that runs${why}. Install Node 26 from https://nodejs.org, or ${again}.`,
  );
  process.exitCode = 1;
}

/**
 * Loads the program in this process if it has the right Node. Otherwise runs `script`, which must not choose again, with
 * the right one: in the place of this process if the running Node can do that, and otherwise in a process of its own,
 * with its signals, its exit code, and its signal.
 */
export async function runOnOwnNode(script, args, load) {
  const node = await ownNode();
  if (node === realpathSync(process.execPath)) return load();
  if (node === null) return reportMissingNode();
  // From Node 22.15 on, but not on Windows.
  if (process.execve !== undefined && process.platform !== 'win32')
    process.execve(node, [node, script, ...args], process.env);
  const { spawn } = await import('node:child_process');
  const child = spawn(node, [script, ...args], { stdio: 'inherit' });
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`muster: "${node}" cannot be started (${error.code}). To repair it, ${again}.`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
