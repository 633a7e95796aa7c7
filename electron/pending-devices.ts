/** Who waits for approval, as long as somebody who may approve is logged in at this desktop. */
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

export interface PendingDevices {
  /** Who is logged in at this desktop; null: nobody. As told with the last `onChange`. */
  readonly member: string | null;
  readonly pending: readonly PendingEnrollment[];
  /** Somebody logged in or out. */
  follow(): Promise<void>;
  read(): Promise<void>;
  /** While it runs nothing new is told: the code of an enrolment of the app's own must not ask anybody for anything. */
  withheld<T>(run: () => Promise<T>): Promise<T>;
  close(): void;
}

export interface PendingDevicesDeps {
  host: BrokerHost;
  jar: SessionJar;
  /** As the member who is logged in. */
  client: BrokerClient;
  /** `member` or `pending` changed. */
  onChange(): void;
  /** `self` is who is logged in. */
  onMessage(message: Message, self: string): void;
  log: { warn(details: object, message: string): void };
}

export function createPendingDevices({
  host,
  jar,
  client,
  onChange,
  onMessage,
  log,
}: PendingDevicesDeps): PendingDevices {
  let close = (): void => undefined;
  /** Counts who came and went: an answer about one who has left meanwhile is nobody's. */
  let turn = 0;
  let member: string | null = null;
  let mayApprove = false;
  let told: Pick<PendingDevices, 'member' | 'pending'> = { member: null, pending: [] };
  /** Enrolments of the app's own under way, and how many there were: their codes are nobody's to approve. */
  let underWay = 0;
  let withheldCount = 0;

  function tell(pending: readonly PendingEnrollment[]): void {
    told = { member, pending };
    onChange();
  }

  async function read(): Promise<void> {
    if (!mayApprove) return tell([]);
    const before = withheldCount;
    const own = turn;
    try {
      const { enrollments } = PendingEnrollments.parse(await client.call('pendingEnrollments', {}));
      if (own !== turn) return;
      // The last one under way reads again when it is through.
      if (underWay > 0) return;
      if (before !== withheldCount) return await read();
      tell(enrollments);
    } catch (error) {
      log.warn({ err: error }, 'who waits for approval could not be read');
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
      },
      // What was announced while the stream was down is not announced again.
      onState: (state) => void (state === 'open' && read()),
    });

  return {
    get member() {
      return told.member;
    },
    get pending() {
      return told.pending;
    },
    read,
    async withheld(run) {
      underWay += 1;
      withheldCount += 1;
      try {
        return await run();
      } finally {
        underWay -= 1;
        if (underWay === 0) void read();
      }
    },
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
      if (host.state.kind === 'running' && host.state.isSetUp && jar.value !== null) {
        const session = await readSession(client, log);
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

/** Null: nobody is logged in, or nobody can tell. */
async function readSession(
  client: BrokerClient,
  log: PendingDevicesDeps['log'],
): Promise<SessionReply | null> {
  try {
    return await client.call('session', {});
  } catch (error) {
    // The kept session ended while the app was closed: the window asks for a code again.
    if (!(error instanceof BrokerError)) log.warn({ err: error }, 'the session could not be read');
    return null;
  }
}
