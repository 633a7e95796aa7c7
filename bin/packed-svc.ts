/** `svc` as it is packed: it has its own Node, so there is nothing to look for. */
import { runCommand } from './entry.js';

await runCommand();
