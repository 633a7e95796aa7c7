/** The devices that wait for approval, while a member who may approve is logged in at this desktop. */
import { setTimeout as after } from 'node:timers/promises';
import { isAllowed } from '#protocol/access.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { PendingEnrollments } from '#protocol/enrollment.ts';
import { BrokerError } from '#protocol/errors.ts';
import { Message } from '#protocol/message.ts';
import { operations } from '#protocol/operations.ts';
import type { SessionReply } from '#protocol/session.ts';
import { ChangeFrame } from '#protocol/stream.ts';
import type { BrokerHost } from './broker-host.ts';
import { openLiveFeed } from './live-feed.ts';
import type { SessionJar } from './session-jar.ts';
import { hasTeam, isServed } from './tray-model.rules.ts';

export interface PendingDevices {
  /** The member who is logged in at this desktop, as of the last `onChange`; null if nobody is. */
  readonly member: string | null;
  readonly pending: readonly PendingEnrollment[];
  /** Called when someone logs in or out. */
  follow(): Promise<void>;
  read(): Promise<void>;
  close(): void;
}

export interface PendingDevicesDeps {
  host: BrokerHost;
  jar: SessionJar;
  /** Acts as the member who is logged in. */
  client: BrokerClient;
  /** Called when `member` or `pending` changed. */
  onChange(): void;
  /** `self` is the member who is logged in. */
  onMessage(message: Message, self: string): void;
  /** The stream opened or said something, so what is derived from the team's state may have changed. */
  onNews(): void;
  log: { warn(details: object, message: string): void };
}

export function createPendingDevices({
  host,
  jar,
  client,
  onChange,
  onMessage,
  onNews,
  log,
}: PendingDevicesDeps): PendingDevices {
  let close = (): void => undefined;
  /** Counts logins and logouts, so that an answer for an earlier member is ignored. */
  let turn = 0;
  /** Numbers the questions for the list, so that a list that arrives after a newer one is ignored. */
  let asked = 0;
  let shown = 0;
  let member: string | null = null;
  let mayApprove = false;
  let told: Pick<PendingDevices, 'member' | 'pending'> = { member: null, pending: [] };

  function tell(pending: readonly PendingEnrollment[]): void {
    told = { member, pending };
    onChange();
  }

  async function read(): Promise<void> {
    if (!mayApprove) return tell([]);
    const own = turn;
    const number = ++asked;
    try {
      const { enrollments } = PendingEnrollments.parse(await client.call('pendingEnrollments', {}));
      if (own !== turn || number < shown) return;
      shown = number;
      tell(enrollments);
    } catch (error) {
      log.warn({ err: error }, 'the devices that wait for approval could not be read');
    }
  }

  const listen = (self: string): (() => void) =>
    openLiveFeed({
      address: () => host.address,
      path: `/subscribe?name=${encodeURIComponent(self)}&events=all`,
      headers: () => jar.headers(),
      onEvent(event, data) {
        if (event === 'message') {
          const message = Message.safeParse(JSON.parse(data));
          if (message.success) onMessage(message.data, self);
        } else if (event === 'change') {
          const frame = ChangeFrame.safeParse(JSON.parse(data));
          if (frame.success && frame.data.resource === 'enrollment') void read();
        }
        onNews();
      },
      // The stream does not repeat what was announced while it was down.
      onState(state) {
        if (state !== 'open') return;
        void read();
        onNews();
      },
    });

  return {
    get member() {
      return told.member;
    },
    get pending() {
      return told.pending;
    },
    read,
    close() {
      turn += 1;
      close();
    },
    async follow() {
      close();
      turn += 1;
      const own = turn;
      member = null;
      mayApprove = false;
      if (hasTeam(host.state) && jar.value !== null) {
        const session = await readSession(() => own === turn && isServed(host.state), client, log);
        if (own !== turn) return;
        member = session?.member ?? null;
        mayApprove =
          session !== null && isAllowed(operations.pendingEnrollments.rule, session.permissions, []);
      }
      if (member !== null) close = listen(member);
      await read();
    },
  };
}

const retryMs = 1000;

/** Returns null if nobody is logged in. Asks again while no broker answers and `isWanted`. */
async function readSession(
  isWanted: () => boolean,
  client: BrokerClient,
  log: PendingDevicesDeps['log'],
): Promise<SessionReply | null> {
  while (isWanted()) {
    try {
      return await client.call('session', {});
    } catch (error) {
      // The saved session ended while the app was closed. The window asks for a code again.
      if (error instanceof BrokerError && error.status !== 503) return null;
      log.warn({ err: error }, 'the session could not be read');
    }
    await after(retryMs);
  }
  return null;
}
