/**
 * A process that spools until it is killed: `spool-child.ts <folder> <prefix>`. It prints the name of every
 * event once it is kept.
 */
import { once } from 'node:events';
import process from 'node:process';
import { openSpool } from '../spool.ts';
import { exchangeNamed } from './events.ts';

const [folder = '', prefix = ''] = process.argv.slice(2);
const spool = await openSpool({
  folder,
  segmentBytes: 20_000,
  onDropped: (reason, count) => {
    throw new Error(`${count} dropped: ${reason}`);
  },
});
for (let n = 0; ; n++) {
  // Sizes that make lines end anywhere in a page.
  spool.append(exchangeNamed(`${prefix}-${n}`, 'é'.repeat((n * 997) % 5000)));
  // The reader may stand still; what is spooled in the meantime would exceed the limit.
  if (!process.stdout.write(`${prefix}-${n}\n`)) await once(process.stdout, 'drain');
  if (n % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
}
