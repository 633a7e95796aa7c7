/** The active broker is reached through every machine: it listens for them, and says where (docs/specification/standby.md#forwarding). */
import type { Socket } from 'node:net';
import { reasonOf } from '#platform/error-text.ts';
import { isLoopback } from '#protocol/loopback.ts';
import type { Log } from '../runtime/log.ts';
import type { Client } from '../wire/forwarded.ts';
import { sayActive } from './active-address.ts';
import type { Entrance } from './between-machines.ts';
import { type ForwardingListener, listenForMachines } from './forwarding-listener.ts';
import { sayOnce } from './say-once.ts';
import type { StandbySettings } from './standby-settings.ts';

export interface Door {
  /** The addresses at which the machines that stand by listen for HTTPS, as the database has them. */
  readonly addresses: readonly string[];
  /** Resolves when the last connection is gone. */
  close(): Promise<void>;
  destroy(): void;
}

/** Serves a connection that another machine accepted. */
export type Receive = (to: Entrance, socket: Socket, client: Client) => void;

export function openDoor(settings: StandbySettings, epoch: number, receive: Receive, log: Log): Door {
  let isWarned = false;
  let present: { host: string | undefined; listener: ForwardingListener } | null = null;
  const say = sayOnce((reason) => {
    if (reason !== null) log.warn({ reason }, 'this broker is not reached through other machines now');
  });

  /** Listens anew when the machine has another address by now. */
  async function address(ownHost: string): Promise<string> {
    const { address: given, kek } = settings;
    const host = given === null ? ownHost : undefined;
    if (host !== undefined && isLoopback(host) && !isWarned) {
      isWarned = true;
      log.warn(
        'the database is on this machine, so other machines cannot reach this broker; set SVC_BROKER_ADDRESS to an address that they reach',
      );
    }
    if (present === null || present.host !== host) {
      void present?.listener.close();
      present = null;
      try {
        present = {
          host,
          listener: await listenForMachines({ kek, host, port: given?.port ?? 0, receive }),
        };
      } catch (error) {
        say(reasonOf(error));
        throw error;
      }
    }
    say(null);
    const { port } = present.listener;
    const shown = given?.host ?? ownHost;
    return `${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
  }

  let addresses: readonly string[] = [];
  const saying = sayActive(settings, epoch, {
    address,
    onMachines(heard) {
      addresses = heard;
    },
  });
  return {
    get addresses() {
      return addresses;
    },
    async close() {
      await saying.end();
      await present?.listener.close();
    },
    destroy: () => present?.listener.destroy(),
  };
}
