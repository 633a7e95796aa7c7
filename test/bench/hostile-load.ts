/** Connections without a credential that send as fast as they can and read nothing. */
import { connect } from 'node:net';

export interface HostileLoad {
  port: number;
  connections: number;
  durationMs: number;
  /** The text that each connection sends, and `repeated` so many times after it. Then another connection replaces it. */
  head: string;
  repeated: string;
  times: number;
}

export interface HostileLoadResult {
  connectionsPerSecond: number;
}

export async function runHostileLoad(load: HostileLoad): Promise<HostileLoadResult> {
  const { port, connections, durationMs, head, repeated, times } = load;
  const bytes = Buffer.from(head + repeated.repeat(times));
  const end = performance.now() + durationMs;
  let opened = 0;
  const one = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.pause().on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.on('connect', () => {
        opened += 1;
        socket.write(bytes, () => socket.destroy());
      });
    });
  async function again(): Promise<void> {
    while (performance.now() < end) await one();
  }
  await Promise.all(Array.from({ length: connections }, again));
  return { connectionsPerSecond: (opened * 1000) / durationMs };
}
