/** The audit log: who changed what in the security of the team (specification/audit.md). */
import { createSerialQueue } from '#platform/serial-queue.ts';
import type { AuditEntry, AuditHead, AuditKind, AuditPage, AuditQuery } from '#protocol/audit.ts';
import type { ConfigChange } from '../../config/config-store.ts';
import type { PlatformJwt } from '../../config/platform-overlay.ts';
import type { SvcConfig } from '../../config/svc-config.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { requestScope } from '../../runtime/request-scope.ts';
import { unlessDamaged } from '../../runtime/unless-damaged.ts';
import type { AuditUnits, ConfigurationOrigin } from './audit.sqlite.ts';
import type { AuditAnchorUnits } from './audit-anchor.sqlite.ts';
import { createAuditBursts } from './audit-bursts.ts';
import { type AuditedState, joinedStates } from './audit-configuration.rules.ts';
import { auditedConfiguration } from './audited-configuration.ts';

/** The facts of a change; each is null if left out. */
export type AuditFacts = Partial<Pick<AuditEntry, 'subject' | 'before' | 'after'>>;

export interface Audit {
  /**
   * Returns a record of what the running request does, or the host outside of requests. The unit that makes
   * the change appends it in the same transaction.
   */
  entry(kind: AuditKind, facts: AuditFacts): AuditEntry;
  /** Appends a record on its own. Durable when it resolves. */
  record(entry: AuditEntry): Promise<void>;
  /**
   * Counts something that anybody can cause as often as they like, such as a failed login. It is written once
   * a minute at most, with its count.
   */
  count(kind: AuditKind, about: { subject: string | null; address: string | null }): void;
  /** Records a change of the configuration. If the store fails, `flush` tries again. */
  onConfigurationWritten(change: ConfigChange): Promise<void>;
  /** As `onConfigurationWritten`, for what a platform wrote beside the configuration. */
  onPlatformWritten(): Promise<void>;
  /** At start: records what changed in the configuration while nobody watched. */
  load(): Promise<void>;
  /** Writes what is counted, and what could not be written. */
  flush(): Promise<void>;
  /** As `flush`, and also what is still being counted. */
  close(): Promise<void>;
  list(query: AuditQuery): Promise<AuditPage>;
  /** Once for each cut; does nothing the next time. @throws BrokerError unknown_audit_cut. */
  acknowledgeCut(seq: number): Promise<void>;
}

export interface AuditDeps {
  /** As they are now. */
  configured: () => { config: SvcConfig | null; platform: PlatformJwt | null };
  units: AuditUnits;
  /** The activity store, which keeps the newest record as well. */
  anchor?: AuditAnchorUnits | undefined;
  clock: Clock;
  log: Log;
}

const maxUnwritten = 100;

export function createAudit({ configured, units, anchor, clock, log }: AuditDeps): Audit {
  const bursts = createAuditBursts(clock);
  /** Changes of the configuration that the store did not take, oldest first. */
  const unwritten: Parameters<AuditUnits['auditConfiguration']>[0][] = [];
  const inTurn = createSerialQueue();
  /** The number of the record that the anchor has; null until the log was compared with it. */
  let anchoredSeq: number | null = null;

  async function writeAnchor(): Promise<void> {
    if (anchor === undefined || anchoredSeq === null) return;
    const head = await units.auditHead();
    if (head.seq === anchoredSeq) return;
    // Without it, the next start compares the log with the former anchor.
    anchoredSeq = await unlessDamaged(anchor.setAuditAnchor(head).then(() => head.seq));
  }

  /** Returns the record that was the newest one once, if the log has lost it. */
  async function lostAnchor(): Promise<AuditHead | null> {
    const kept = (await anchor?.auditAnchor()) ?? null;
    return kept === null || (await units.auditContains(kept)) ? null : kept;
  }

  function origin(): ConfigurationOrigin {
    const scope = requestScope.getStore();
    const at = clock();
    if (scope === undefined) return { at, via: 'host', member: null, credential: null, address: null };
    const { actor, address } = scope.origin;
    const credential = actor && { plane: actor.plane, id: actor.credentialId };
    return { at, via: 'request', member: actor?.name ?? null, credential, address };
  }

  const entry: Audit['entry'] = (kind, { subject = null, before = null, after = null }) => ({
    ...origin(),
    kind,
    subject,
    before,
    after,
  });

  const writeConfigurations = (): Promise<void> =>
    inTurn(async () => {
      while (unwritten[0] !== undefined) {
        await units.auditConfiguration(unwritten[0]);
        unwritten.shift();
      }
    });

  async function recordState(state: AuditedState): Promise<void> {
    const latest = unwritten.length === maxUnwritten ? unwritten.pop() : undefined;
    unwritten.push({ ...(latest === undefined ? state : joinedStates(latest, state)), origin: origin() });
    await writeConfigurations().catch((err: unknown) =>
      log.error({ err }, 'a change of the configuration is in force but not in the audit log yet'),
    );
  }

  async function flush(isEnd: boolean): Promise<void> {
    await writeConfigurations();
    for (const { kind, at, subject, address, count } of bursts.take(isEnd))
      await units.appendAudit({
        at,
        kind,
        via: 'request',
        member: null,
        credential: null,
        address,
        subject,
        before: null,
        after: { count },
      });
    await writeAnchor();
  }

  return {
    entry,
    record: units.appendAudit,
    count: bursts.count,
    onConfigurationWritten: ({ config, members: { left, entered } }) =>
      recordState({
        configuration: auditedConfiguration(config, entered, configured().platform),
        touched: [...new Set([...left, ...entered].map(({ name }) => name))],
      }),
    async onPlatformWritten() {
      const { config, platform } = configured();
      if (config === null) return;
      await recordState({ configuration: auditedConfiguration(config, [], platform), touched: [] });
    },
    async load() {
      const { config, platform } = configured();
      const [anchored, found] = await Promise.all([
        unlessDamaged(lostAnchor().then((lost) => ({ lost }))),
        units.auditHead(),
      ]);
      const lost = anchored?.lost ?? null;
      const start = { at: clock(), via: 'file', member: null, credential: null, address: null } as const;
      if (lost !== null) {
        log.error({ lost, found }, 'records of the audit log are gone');
        const [before, after] = [{ ...lost }, { ...found }];
        await units.appendAudit({ ...start, kind: 'audit_cut', subject: null, before, after });
      }
      // From another log than the present one, the number says nothing.
      anchoredSeq = anchored === null ? null : -1;
      if (config === null) return;
      const configuration = auditedConfiguration(config, config.store.members, platform);
      await units.auditConfiguration({ configuration, touched: null, origin: start });
    },
    flush: () => flush(false),
    close: () => flush(true),
    list: units.auditPage,
    acknowledgeCut: (seq) =>
      units.acknowledgeAuditCut({ seq, entry: entry('audit_cut_acknowledged', { before: { seq } }) }),
  };
}
