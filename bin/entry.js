// Plain JavaScript, because it is loaded before anything that is to be cached.
import process from 'node:process';
import { enableCompileCache } from './compile-cache.js';

/** Runs `svc` with the words of this process. */
export async function runCommand() {
  const argv = process.argv.slice(2);
  // A runner lives as long as its agent and mostly waits. What its start allocates would make V8 keep 8 MiB more for
  // new objects. Compiled code is kept for each set of flags, so this comes before the cache.
  if (argv[0] === 'run')
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  enableCompileCache();
  process.exitCode = (await runSmall(argv)) ?? (await runVerb(argv));
}

async function runSmall(argv) {
  if (!argv[0]?.startsWith('mcp-')) return null;
  const { runAgentProgram } = await import('./agent-programs.ts');
  return runAgentProgram(argv);
}

async function runVerb(argv) {
  const { main } = await import('./dispatcher.ts');
  return main(argv);
}
