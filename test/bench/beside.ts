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
const durationMs = 3000;
const warmUpMs = 500;

export function createBesideBench(server: Server) {
  const before: number[] = [];
  const quietP99 = async (): Promise<number> =>
    (await measureRequests(server, { ...quiet, warmUpMs, durationMs })).p99Ms;

  return {
    /** Returns the 99th percentile, in ms. */
    async flood(request: string): Promise<number> {
      before.push(await quietP99());
      const load = { connections: floodConnections, warmUpMs: 0, request };
      // The flood begins before the measured time and outlasts it.
      const flood = measureRequests(server, { ...load, durationMs: durationMs + 3 * warmUpMs });
      const beside = await quietP99();
      await flood;
      return beside;
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
