/** `npm start`. */
import process from 'node:process';
import { enableCompileCache } from './compile-cache.js';
import { startSmall } from './lean-start.js';

startSmall();
enableCompileCache();
const { runVerb } = await import('./run-verb.ts');
process.exitCode = await runVerb(
  {
    summary: 'run the broker with your personal folders, or with a demo team',
    help: 'npm start -- --help',
    load: () => import('./verbs/start.verb.ts'),
  },
  process.argv.slice(2),
);
