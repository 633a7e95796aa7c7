/** Runs the load in a process of its own: reads one load as JSON and prints its result as JSON. */
import { activityPostOf } from './activity-batch.ts';
import { type FanOutLoad, openStreams, runFanOut } from './fan-out-load.ts';
import { type FileLoad, runFileLoad } from './file-load.ts';
import { type HostileLoad, runHostileLoad } from './hostile-load.ts';
import { type HttpLoad, runHttpLoad } from './http-load.ts';

export type Load =
  | ({ kind: 'http' } & HttpLoad)
  /** Uploads of one batch, of 100 events by default; too long to be passed as an argument. */
  | ({ kind: 'activity'; events?: number } & Omit<HttpLoad, 'request'>)
  | ({ kind: 'fan-out' } & FanOutLoad)
  | ({ kind: 'hostile' } & HostileLoad)
  | ({ kind: 'file' } & FileLoad)
  | ({ kind: 'idle' } & Pick<FanOutLoad, 'port' | 'streams' | 'opening' | 'opened'>);

const load: Load = JSON.parse(process.argv[2] ?? '');
if (load.kind === 'idle') {
  const sockets = await openStreams(load);
  console.log('{}');
  process.stdin.on('end', () => {
    for (const socket of sockets) socket.destroy();
  });
  process.stdin.resume();
} else {
  console.log(JSON.stringify(await run(load)));
  process.exit(0);
}

function run(one: Exclude<Load, { kind: 'idle' }>): Promise<unknown> {
  switch (one.kind) {
    case 'http':
      return runHttpLoad(one);
    case 'activity':
      return runHttpLoad({ ...one, request: activityPostOf(one.events ?? 100) });
    case 'fan-out':
      return runFanOut(one);
    case 'hostile':
      return runHostileLoad(one);
    case 'file':
      return runFileLoad(one);
  }
}
