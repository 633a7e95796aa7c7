/** `svc` as it is packed: it has its own Node, so there is nothing to look for. */
import process from 'node:process';
import { enableCompileCache } from './compile-cache.js';

enableCompileCache();
const { main } = await import('./dispatcher.ts');
process.exitCode = await main(process.argv.slice(2));
