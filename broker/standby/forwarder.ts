/** Passes connections on to the active broker (docs/specification/standby.md#forwarding). Nothing of them is parsed here. */
import type { KeyObject } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { limits } from '#protocol/limits.ts';
import { clientTls, type Hello, helloLine, helloMs, taken } from './between-machines.ts';
import { hostAndPort } from './host-and-port.ts';

/** At a time; others wait. The active broker refuses more that it does not know yet. */
const maxOpening = 64;
const keepAliveMs = 5000;

/** The active broker, by its lease. */
export interface Active {
  epoch: number;
  /** `host:port`, where it listens for machines. */
  address: string;
}

export interface Forwarder {
  /** Tells it the present active broker; null if none is known. Connections to another one end. */
  point(active: Active | null): void;
  /** Opens a connection for `near` that the active broker has taken; null if it cannot be reached. */
  open(near: Socket, hello: Hello): Promise<TLSSocket | null>;
  close(): void;
}

export function createForwarder(kek: KeyObject): Forwarder {
  const tls = clientTls(kek);
  let active: Active | null = null;
  let target: { host: string; port: number } | null = null;
  /** Those that are being opened included. */
  const links = new Set<TLSSocket>();
  let opening = 0;
  const waiting: (() => void)[] = [];

  function point(next: Active | null): void {
    if (next?.epoch === active?.epoch && next?.address === active?.address) return;
    active = next;
    target = next && hostAndPort(next.address);
    for (const link of links) link.destroy();
    for (const goOn of waiting.splice(0)) goOn();
  }

  async function openNow(hello: Hello): Promise<TLSSocket | null> {
    if (target === null) return null;
    const link = connect({ ...target, ...tls });
    links.add(link);
    link.once('close', () => links.delete(link));
    link.setNoDelay(true);
    link.setKeepAlive(true, keepAliveMs);
    return (await isTaken(link, hello)) ? link : null;
  }

  return {
    point,
    async open(near, hello) {
      while (target !== null && opening >= maxOpening)
        await new Promise<void>((resolve) => waiting.push(resolve));
      opening += 1;
      try {
        return near.destroyed ? null : await openNow(hello);
      } finally {
        opening -= 1;
        waiting.shift()?.();
      }
    },
    close: () => point(null),
  };
}

/** Resolves with whether the active broker takes the connection, which is paused then; otherwise, it is destroyed. */
function isTaken(link: TLSSocket, hello: Hello): Promise<boolean> {
  return new Promise((resolve) => {
    const destroy = () => void link.destroy();
    const overdue = setTimeout(destroy, helloMs);
    link.on('error', destroy).on('end', destroy);
    link.once('close', () => {
      clearTimeout(overdue);
      resolve(false);
    });
    link.once('secureConnect', () => link.write(helloLine(hello)));
    link.once('data', (arrived: Buffer) => {
      clearTimeout(overdue);
      link.off('end', destroy).pause();
      if (arrived[0] !== taken[0]) {
        link.destroy();
        return;
      }
      if (arrived.length > 1) link.unshift(arrived.subarray(1));
      resolve(true);
    });
  });
}

/**
 * Ends a connection that takes nothing of what waits for it. While it does not, nothing is read from the active broker, so that
 * the end of that connection would not be noticed.
 */
function endUnread(near: Socket, patienceMs: number): void {
  let taken = 0;
  let takenAt = performance.now();
  const looking = setInterval(() => {
    const before = taken;
    taken = near.bytesWritten - near.writableLength;
    if (near.writableLength === 0 || taken !== before) takenAt = performance.now();
    else if (performance.now() - takenAt >= patienceMs) near.destroy();
  }, patienceMs / 4).unref();
  near.once('close', () => clearInterval(looking));
}

/** Passes bytes on in both directions, and the end of each. Both connections are gone soon after one of them is. */
export function joinBoth(near: Socket, far: TLSSocket, patienceMs = limits.connections.writeIdleMs): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.once('close', () => {
      if (!one.readableEnded || !one.writableFinished) other.destroy();
    });
  }
  // The broker has said everything. A client that neither reads it nor closes must not stay.
  far.once('end', () => {
    const overdue = setTimeout(() => near.destroy(), patienceMs).unref();
    near.once('close', () => {
      clearTimeout(overdue);
      far.destroy();
    });
  });
  endUnread(near, patienceMs);
}
