// The command, on a Node that was chosen. Plain JavaScript, because it is loaded before anything that is to be cached.
import process from 'node:process';
import { enableCompileCache } from './compile-cache.js';
import { chooseSmallAllocator, startLean, startSmall } from './lean-start.js';

const words = process.argv.slice(2);
const verb = words.find((word) => !word.startsWith('-'));
if (verb === 'run' || verb === 'mcp-bridge') chooseSmallAllocator();
if (verb === 'run') startLean();
if (verb === 'serve') startSmall();
enableCompileCache();
process.exitCode = (await runSmall(words)) ?? (await runVerb(words));

async function runSmall(argv) {
  if (argv[0] === 'demo-run' || argv[0] === 'demo-agent') {
    const { runDemoProgram } = await import('./demo/demo-programs.ts');
    return runDemoProgram(argv[0]);
  }
  if (!argv[0]?.startsWith('mcp-')) return null;
  const { runAgentProgram } = await import('./agent-programs.ts');
  return runAgentProgram(argv);
}

async function runVerb(argv) {
  const { main } = await import('./dispatcher.ts');
  return main(argv);
}
