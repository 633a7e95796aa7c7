// Plain JavaScript, because it is loaded before anything that is to be cached.
import process from 'node:process';
import { enableCompileCache } from './compile-cache.js';
import { startLean, startSmall } from './lean-start.js';

/** Runs `svc` with the words of this process. */
export async function runCommand() {
  const argv = process.argv.slice(2);
  if (argv[0] === 'run') startLean();
  if (argv[0] === 'serve') startSmall();
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
