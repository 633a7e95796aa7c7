/** `svc` on a Node that was chosen already: as it is packed with its own, or after `bin/svc` handed over. */
import { runCommand } from './entry.js';

await runCommand();
