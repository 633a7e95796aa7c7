/** One connection to the database that the machines share. */
import { Socket } from 'node:net';
import pg from 'pg';
import type { StandbySettings } from './standby-settings.ts';

export interface DatabaseConnection {
  /** Not yet connected. A connection that is lost fails the next request. */
  client: pg.Client;
  socket: Socket;
  /** Ends at once, also while it connects: the client's own end waits for the database, which may never answer. */
  end(): void;
}

/** Ms; a request that takes longer counts as failed, although it may have been done. */
interface Patience {
  connectMs: number;
  requestMs: number;
}

export function createConnection(
  { url, name }: Pick<StandbySettings, 'url' | 'name'>,
  { connectMs, requestMs }: Patience,
): DatabaseConnection {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: withHost(url),
    application_name: `muster ${name}`,
    stream: () => socket,
    connectionTimeoutMillis: connectMs,
    query_timeout: requestMs,
    statement_timeout: requestMs,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  return { client, socket, end: () => void socket.destroy() };
}

/** Without a host in the address, the client would take the one of `PGHOST`, which nothing has checked. */
function withHost(address: string): string {
  const url = new URL(address);
  if (url.hostname !== '' || url.searchParams.getAll('host').at(-1)) return address;
  url.searchParams.delete('host');
  url.hostname = 'localhost';
  return url.href;
}

/** @throws Error if the database cannot be reached. */
export async function openConnection(
  ...settings: Parameters<typeof createConnection>
): Promise<DatabaseConnection> {
  const connection = createConnection(...settings);
  try {
    await connection.client.connect();
    return connection;
  } catch (error) {
    connection.end();
    throw error;
  }
}
