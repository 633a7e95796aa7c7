/**
 * The address in the database at which the active broker listens for machines: it writes it again and again, and machines
 * that stand by ask for it, beside everything else (docs/specification/standby.md#forwarding).
 */
import type { Socket } from 'node:net';
import type pg from 'pg';
import { maxAddressCharacters } from '#protocol/further-address.ts';
import { maxOfMachine } from '../config/https-addresses.ts';
import { createConnection, type DatabaseConnection } from './database-connection.ts';
import type { Active } from './forwarder.ts';
import { leaseMs } from './page-log-statements.ts';
import type { StandbySettings } from './standby-settings.ts';

const askMs = 300;
const sayMs = 2000;
const requestMs = 1500;
/** A machine that did not say within this time that it stands by is not named to clients. */
const heardMs = 60_000;
const maxHeard = 64;

const statements = {
  say: `WITH held AS (SELECT 1 FROM muster.lease WHERE epoch = $1 FOR SHARE)
    INSERT INTO muster.door (epoch, address) SELECT $1, $2 FROM held
    ON CONFLICT (one) DO UPDATE SET epoch = excluded.epoch, address = excluded.address
    WHERE (door.epoch, door.address) IS DISTINCT FROM (excluded.epoch, excluded.address)`,
  // At most, since a hostile database could hold anything.
  hear: `SELECT address FROM muster.machine, unnest(addresses[1:${maxOfMachine}]) AS address
    WHERE seen >= clock_timestamp() - interval '${heardMs} ms' AND char_length(address) <= ${maxAddressCharacters}
    ORDER BY name LIMIT ${maxHeard}`,
  // Nobody is active after a planned stop, or when the lease has lapsed.
  ask: `SELECT epoch, address FROM muster.door JOIN muster.lease USING (one, epoch) JOIN muster.beat USING (one, epoch)
    WHERE seen >= clock_timestamp() - interval '${leaseMs} ms'`,
};

export interface Loop {
  /** Resolves when nothing is under way. */
  end(): Promise<void>;
}

/** Does `work` on a connection to the database, again and again. `onFault` is called when that failed. */
function keepDoing(
  settings: StandbySettings,
  everyMs: number,
  work: (client: pg.Client, socket: Socket) => Promise<void>,
  onFault: () => void,
): Loop {
  let connection: DatabaseConnection | null = null;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  async function connect(): Promise<DatabaseConnection> {
    connection = createConnection(settings, { connectMs: requestMs, requestMs });
    await connection.client.connect();
    return connection;
  }

  async function once(): Promise<void> {
    try {
      const { client, socket } = connection ?? (await connect());
      await work(client, socket);
    } catch {
      disconnect();
      onFault();
    }
  }

  function disconnect(): void {
    connection?.end();
    connection = null;
  }

  let doing = Promise.resolve();
  function next(): void {
    doing = once().then(() => {
      if (!hasEnded) timer = setTimeout(next, everyMs);
    });
  }
  next();
  return {
    async end() {
      hasEnded = true;
      clearTimeout(timer);
      disconnect();
      await doing;
      disconnect();
    },
  };
}

/** Calls `onActive` with the active broker; with null when there is none, or when the database did not say for the time of a lease. */
export function watchActive(settings: StandbySettings, onActive: (active: Active | null) => void): Loop {
  let saidAt = performance.now();
  return keepDoing(
    settings,
    askMs,
    async (client) => {
      const asked = performance.now();
      const [row] = (await client.query<Record<string, unknown>>(statements.ask)).rows;
      saidAt = asked;
      onActive(row === undefined ? null : { epoch: Number(row.epoch), address: String(row.address) });
    },
    () => {
      if (performance.now() - saidAt >= leaseMs) onActive(null);
    },
  );
}

export interface Saying {
  /** Returns where this broker, which has the lease, listens; `host` is that at which the database's network reaches it. */
  address(host: string): Promise<string>;
  /** Gets the addresses at which the machines that stand by listen for HTTPS, as the database has them. */
  onMachines(addresses: string[]): void;
}

export const sayActive = (settings: StandbySettings, epoch: number, { address, onMachines }: Saying): Loop =>
  keepDoing(
    settings,
    sayMs,
    async (client, socket) => {
      // Without one, the connection is a socket in a folder of this machine.
      const host = socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '127.0.0.1';
      await client.query(statements.say, [epoch, await address(host)]);
      const { rows } = await client.query<Record<string, unknown>>(statements.hear);
      onMachines(rows.map((row) => String(row.address)));
    },
    () => undefined,
  );
