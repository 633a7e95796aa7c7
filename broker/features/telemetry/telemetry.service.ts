/**
 * Sends the two telemetry events if they are enabled and SVC_TELEMETRY_URL says where. It never delays or
 * fails anything else (specification/diagnostics.md#telemetry).
 */
import { createSerialQueue } from '#platform/serial-queue.ts';
import type { Log } from '../../runtime/log.ts';
import { readTelemetry, type TelemetryState, writeTelemetry } from './telemetry-state.ts';

export type TelemetryEvent = 'boot' | 'directive-complete';

const flagByEvent = { boot: 'bootEventSent', 'directive-complete': 'missionEventSent' } as const;
const timeoutMs = 10_000;

/** Everything that is ever sent. */
export interface TelemetryReport {
  event: TelemetryEvent;
  installId: string;
  version: string;
  platform: string;
}

export interface Telemetry {
  report(event: TelemetryEvent): Promise<void>;
  /** Never rejects: a damaged state file sends nothing. */
  status(): Promise<{ isEnabled: boolean; endpoint: string | null }>;
}

export interface TelemetryDeps {
  path: string;
  /** SVC_TELEMETRY_URL; undefined sends nothing. */
  url: string | undefined;
  version: string;
  platform: string;
  log: Log;
}

export const reportOf = (
  event: TelemetryEvent,
  state: TelemetryState,
  about: { version: string; platform: string },
): TelemetryReport => ({
  event,
  installId: state.installId,
  version: about.version,
  platform: about.platform,
});

export function createTelemetry({ path, url, version, platform, log }: TelemetryDeps): Telemetry {
  const inTurn = createSerialQueue();

  async function send(event: TelemetryEvent): Promise<void> {
    if (url === undefined || url === '') return;
    const state = await readTelemetry(path);
    if (state === null || !state.enabled || state[flagByEvent[event]]) return;
    // Recorded first, because a lost event is better than one that is sent twice.
    await writeTelemetry(path, { ...state, [flagByEvent[event]]: true });
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(reportOf(event, state, { version, platform })),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await reply.body?.cancel();
  }

  return {
    report: (event) =>
      inTurn(() => send(event)).catch((err: unknown) => log.warn({ err, event }, 'telemetry was not sent')),
    async status() {
      const state = await readTelemetry(path).catch(() => null);
      return { isEnabled: state?.enabled ?? false, endpoint: endpointOf(url) };
    },
  };
}

/** Without the query and fragment, which may contain a key. */
function endpointOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
