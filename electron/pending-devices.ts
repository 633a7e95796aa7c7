/** Who waits for approval, as long as somebody who may approve is logged in at this desktop. */
import { createClient } from '#protocol/client.ts';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { PendingEnrollments } from '#protocol/enrollment.ts';
import { BrokerError } from '#protocol/errors.ts';
import { ChangeFrame } from '#protocol/stream.ts';
import type { BrokerHost } from './broker-host.ts';
import { openLiveFeed } from './live-feed.ts';
import { addressOf } from './page-bridge.ts';
import type { SessionJar } from './session-jar.ts';

export interface PendingDevices {
  /** Somebody logged in or out. */
  follow(): Promise<void>;
  read(): Promise<void>;
  close(): void;
}

export interface PendingDevicesDeps {
  host: BrokerHost;
  jar: SessionJar;
  onChange(member: string | null, pending: PendingEnrollment[]): void;
  log: { warn(details: object, message: string): void };
}

export function createPendingDevices({ host, jar, onChange, log }: PendingDevicesDeps): PendingDevices {
  let close = (): void => undefined;
  let member: string | null = null;
  let mayApprove = false;
  const client = createClient(async (request) => {
    const reply = await host.request({ ...request, headers: { ...request.headers, ...jar.headers() } });
    jar.take(reply.setCookie);
    return {
      status: reply.status,
      headers: { get: (name: string) => reply.headers[name] ?? null },
      text: async () => reply.body.toString('utf8'),
    };
  });

  async function read(): Promise<void> {
    if (!mayApprove) return onChange(member, []);
    try {
      const { enrollments } = PendingEnrollments.parse(await client.call('pendingEnrollments', {}));
      onChange(member, enrollments);
    } catch (error) {
      log.warn({ err: error }, 'who waits for approval could not be read');
    }
  }

  return {
    read,
    close: () => close(),
    async follow() {
      close();
      member = null;
      mayApprove = false;
      if (host.state.kind === 'running' && host.state.isSetUp && jar.value !== null) {
        try {
          const session = await client.call('session', {});
          member = session.member;
          mayApprove = session.permissions.includes('members.manage');
        } catch (error) {
          // The kept session ended while the app was closed: the window asks for a code again.
          if (!(error instanceof BrokerError)) log.warn({ err: error }, 'the session could not be read');
        }
      }
      if (member !== null)
        close = openLiveFeed({
          url: () => `${addressOf(host)}/subscribe?name=${encodeURIComponent(member ?? '')}&events=all`,
          headers: () => jar.headers(),
          onEvent(event, data) {
            if (event !== 'change') return;
            const frame = ChangeFrame.safeParse(JSON.parse(data));
            if (frame.success && frame.data.resource === 'enrollment') void read();
          },
          // What was announced while the stream was down is not announced again.
          onState: (state) => void (state === 'open' && read()),
        });
      await read();
    },
  };
}
