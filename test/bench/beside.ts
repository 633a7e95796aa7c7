/**
 * Measures what a flood of one operation costs the reads of another member, who asks for pages of history now and then
 * (ADR 0028, ADR 0038).
 */
import { tokenOf } from './bench-broker.ts';
import { measureRequests } from './measure-load.ts';
import { keepServerCoreBusy, type Server } from './processes.ts';
import { median } from './report.ts';

const quiet = {
  connections: 4,
  rate: 250,
  request: `GET /history?limit=50 HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${tokenOf('member-3')}\r\n\r\n`,
};
const floodConnections = 16;
const windows = 5;
const windowMs = 1000;
const warmUpMs = 200;
/** The flood outlasts the windows also if starting the load program takes as long as a window. */
const floodMs = windows * (2 * windowMs + warmUpMs);

/**
 * The median of several short windows: one moment in which the machine did something else lasts up to 50 ms, which would be the 99th percentile
 * of a long window, too.
 */
export function createBesideBench(server: Server) {
  const before: number[] = [];

  async function quietP99(): Promise<number> {
    const p99s: number[] = [];
    for (let window = 0; window < windows; window++)
      p99s.push((await measureRequests(server, { ...quiet, warmUpMs, durationMs: windowMs })).p99Ms);
    return median(p99s);
  }

  return {
    /** Returns the 99th percentile, in ms. @throws Error if the flood ended too early. */
    async flood(request: string): Promise<number> {
      before.push(await quietP99());
      const load = { connections: floodConnections, warmUpMs: 0, request };
      let hasEnded = false;
      const flood = measureRequests(server, { ...load, durationMs: floodMs }).finally(() => {
        hasEnded = true;
      });
      const beside = quietP99().then((p99Ms) => ({ p99Ms, hasFlood: !hasEnded }));
      const [{ p99Ms, hasFlood }] = await Promise.all([beside, flood]);
      if (!hasFlood) throw new Error('the flood ended before the measurement');
      return p99Ms;
    },
    /** Beside a program that has nothing to do with the broker. */
    async program(): Promise<number> {
      const end = keepServerCoreBusy();
      const beside = await quietP99();
      await end();
      return beside;
    },
    /** Of the times just before each flood. */
    alone: (): number => median(before),
  };
}
export type BesideBench = ReturnType<typeof createBesideBench>;
