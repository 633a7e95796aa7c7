// Plain JavaScript for a Node that is too old to run TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Runs `svc` again with the Node that `npm ci` installed. It passes signals on, and returns the exit code or
 * signal.
 * @public (used by bin/svc, which has no extension)
 */
export function runWithOwnNode(needed) {
  const script = fileURLToPath(new URL('./svc', import.meta.url));
  const node = ownNode();
  if (node === undefined) {
    console.error(
      `svc: Node ${needed} or newer is required, but this is ${process.version}. Run "npm ci" in "${dirname(dirname(script))}".`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`svc: "${node}" cannot be started (${error.code}). Run "npm ci" again.`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function ownNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    return [join(folder, 'bin', 'node'), join(folder, 'bin', 'node.exe')].find(existsSync);
  } catch {
    return undefined;
  }
}
