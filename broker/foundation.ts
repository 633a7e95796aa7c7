/** The foundation of every part of the broker: configuration, stores, time, and the teardown that each part adds to. */
import type { BrokerOptions } from './broker.ts';
import { type Audit, createAudit } from './features/audit/audit.service.ts';
import type { MainUnits } from './main-store.ts';
import type { OpenedStores } from './open-stores.ts';
import { type Clock, systemClock } from './runtime/clock.ts';
import {
  type ClockWatch,
  createClockWatch,
  removalWaitsMs,
  systemSteadyClock,
} from './runtime/clock-watch.ts';
import { createExpiries, type Expiries } from './runtime/expiries.ts';
import type { Log } from './runtime/log.ts';
import { createOutbound, type Outbound } from './runtime/outbound-fetch.ts';
import { traceOutbound } from './runtime/traced-outbound.ts';
import type { Tracing } from './runtime/tracing.ts';
import type { KnownMark } from './storage/blobs/shared-mark.ts';

export interface Foundation extends Pick<OpenedStores, 'config' | 'overlay'> {
  mainStore: OpenedStores['main'];
  activityStore: OpenedStores['activity'];
  /** Of the main store. */
  units: MainUnits;
  storeId: string;
  /** Other machines stand by for this broker, and share the contents of files; null if there are none. */
  sharedMark: KnownMark | null;
  /** The main store's first start, epoch ms. */
  storeCreatedAt: number;
  /** The newest message in the main store at start. */
  newest: { seq: number; ts: number };
  audit: Audit;
  outbound: Outbound;
  /** Null without an endpoint. */
  tracing: Tracing | null;
  expiries: Expiries;
  clockWatch: ClockWatch;
  /** A write that the next start makes up for failed. */
  onWriteDeferred: (error: unknown) => void;
  /** Functions that a part defers here run when the broker closes, or does not start: the newest part's first. */
  teardown: Pick<AsyncDisposableStack, 'defer'>;
  clock: Clock;
  log: Log;
}

async function correctMessages(
  units: Pick<MainUnits, 'correctFutureMessages'>,
  now: number,
  ms: number,
): Promise<void> {
  let after: number | null = null;
  do after = await units.correctFutureMessages({ now, ms, after });
  while (after !== null);
}

/** The parts that the composition makes stand on this. */
export async function layFoundation(
  {
    log,
    clock = systemClock,
    steadyClock,
    term,
  }: Pick<BrokerOptions, 'log' | 'clock' | 'steadyClock' | 'term'>,
  { config, overlay, main, activity }: OpenedStores,
  teardown: Foundation['teardown'],
  tracing: Tracing | null,
): Promise<Foundation> {
  const { units } = main.store;
  const outbound = createOutbound({ allowHosts: () => config.current?.outbound?.allowHosts ?? [] });
  const expiries = createExpiries(clock);
  teardown.defer(expiries.stop);
  const configured = () => ({ config: config.current, platform: overlay.jwt });
  // A log in memory begins again with every start.
  const anchor = main.file === null ? undefined : activity.store.units;
  const audit = createAudit({ configured, units, anchor, clock, log });
  config.onWritten(audit.onConfigurationWritten);
  teardown.defer(() =>
    audit.close().catch((err: unknown) => log.error({ err }, 'the end of the audit log was not written')),
  );
  const newest = await units.lastAccepted();
  const olderTs = await units.lastAcceptedUntil({ ts: clock() - removalWaitsMs });
  const steady = steadyClock ?? (clock === systemClock ? systemSteadyClock : clock);
  return {
    config,
    overlay,
    mainStore: main,
    activityStore: activity,
    units,
    storeId: await units.storeIdentity(),
    sharedMark: term?.sharedMark ?? null,
    storeCreatedAt: await units.storeCreatedAt({ now: clock() }),
    newest,
    clockWatch: createClockWatch({
      clock,
      steady,
      newestTs: newest.ts,
      olderTs,
      onReturned: (ms) =>
        void correctMessages(units, clock(), ms).catch((err: unknown) =>
          log.error({ err }, 'the times of messages in the future were not corrected'),
        ),
      log,
    }),
    audit,
    expiries,
    outbound: tracing === null ? outbound : traceOutbound(outbound, tracing),
    tracing,
    onWriteDeferred: (err) => log.warn({ err }, 'a write is made up for at the next start'),
    teardown,
    clock,
    log,
  };
}
