/** `muster serve` with a clock that the soak sets: ahead of the system's, or behind it, by milliseconds. */
import { parseArgs } from 'node:util';
import { runBroker } from '../../bin/run-broker.ts';

const { values } = parseArgs({
  options: {
    'config-path': { type: 'string', default: '' },
    db: { type: 'string', default: '' },
    'activity-db': { type: 'string', default: '' },
    port: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
});
let aheadMs = Number(process.env.SOAK_CLOCK_MS ?? 0);
process.on('message', (ms) => {
  aheadMs = Number(ms);
  process.send?.(aheadMs);
});
process.on('disconnect', () => process.exit(1));
// The broker alone decides when the process ends.
process.channel?.unref();

process.exitCode = await runBroker({
  values,
  env: { ...process.env },
  configPath: values['config-path'],
  dbPath: values.db,
  activityDbPath: values['activity-db'],
  defaultLogLevel: 'warn',
  setupHint: '',
  clock: () => Date.now() + aheadMs,
});
