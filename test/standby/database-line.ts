/** A TCP connection to the database of a test that can be cut without a word, as a network does it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DatabaseLine {
  url: string;
  /** From now on, nothing gets through, and nobody is told. */
  cut(): void;
  /** Ends the connections from before; others get through. */
  mend(): void;
  /** As `mend`, to the server of another address. */
  leadTo(target: string): void;
  /** From now on, connections wait. */
  hold(): HeldConnections;
  close(): void;
}

export interface HeldConnections {
  /** Resolves when one waits. */
  first: Promise<void>;
  /** Lets them, and all others, get through. */
  letGo(): void;
}

/** The socket of the server that `postgres-server.ts` started. */
function socketOf(target: string): string {
  const at = new URL(target);
  return `${at.searchParams.get('host')}/.s.PGSQL.${at.port}`;
}

/** @param target An address from `createDatabase()`. */
export async function openLine(target: string): Promise<DatabaseLine> {
  let isCut = false;
  let path = socketOf(target);
  const ends = new Set<Socket>();
  let held: { add(near: Socket): void } | null = null;

  function pass(near: Socket): void {
    const far = connect(path);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        ends.delete(from);
        to.destroy();
      });
    }
  }
  const server = createServer((near) => {
    if (held === null) pass(near);
    else held.add(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const mend = () => {
    isCut = false;
    for (const end of ends) end.destroy();
  };
  return {
    url: `postgres://muster@127.0.0.1:${port}${new URL(target).pathname}`,
    cut() {
      isCut = true;
    },
    mend,
    leadTo(next) {
      path = socketOf(next);
      mend();
    },
    hold() {
      const waiting: Socket[] = [];
      const { promise: first, resolve } = Promise.withResolvers<void>();
      held = {
        add(near) {
          waiting.push(near);
          resolve();
        },
      };
      return {
        first,
        letGo() {
          held = null;
          waiting.forEach(pass);
        },
      };
    },
    close() {
      mend();
      server.close();
    },
  };
}
