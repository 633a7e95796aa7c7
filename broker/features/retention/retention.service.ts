/** How long the broker keeps what it stores: the policy, legal holds, and runs that remove the rest (specification/retention.md). */
import { createSerialQueue } from '#platform/serial-queue.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type {
  LegalHold,
  RetentionPatch,
  RetentionPolicy,
  RetentionRun,
  RetentionState,
} from '#protocol/retention.ts';
import { parseScope } from '#protocol/scope.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { SvcConfig } from '../../config/svc-config.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClockWatch } from '../../runtime/clock-watch.ts';
import type { Log } from '../../runtime/log.ts';
import { unlessDamaged } from '../../runtime/unless-damaged.ts';
import type { Members } from '../members/members.service.ts';
import type { ActivityRetentionUnits } from './activity-retention.sqlite.ts';
import { hasRules, heldMembers, isDue, isHeldScope, keyOfHold, memberOfHold } from './retention.rules.ts';
import type { RetentionUnits } from './retention.sqlite.ts';
import { recordRemovals, type Step, sweep } from './retention-sweep.ts';

export interface Retention {
  read(): RetentionState;
  /** @throws BrokerError not_found for an unknown target or hold, conflict beyond a limit. */
  update(patch: RetentionPatch, by: MemberName): Promise<RetentionState>;
  /**
   * Begins a run, in place of one that is in progress. It goes on after the call. @throws BrokerError conflict if a
   * hold is on nothing, or the clock jumped ahead.
   */
  begin(): Promise<RetentionState>;
  /** A turn of the housekeeping: goes on with a run, and begins one when it is time. */
  keepUp(): Promise<void>;
  /** Whether a legal hold keeps the conversation with this stored key. */
  keeps(key: string): boolean;
  /** The members that a legal hold is on. */
  heldMembers(): readonly string[];
  /** The newest position from which a message was removed. */
  messageFloor(): number;
  load(): Promise<void>;
  /** Resolves when no step is in progress. */
  stop(): Promise<void>;
}

export interface RetentionDeps {
  units: RetentionUnits;
  activityUnits: ActivityRetentionUnits;
  config: ConfigStore;
  members: Pick<Members, 'find'>;
  mintId: () => string;
  clockWatch: Pick<ClockWatch, 'removalWaits'>;
  clock: Clock;
  log: Log;
}

const { everyMs, stepsPerTurn, pauseMs } = limits.retention;

/** Lets others go first. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs));

export function createRetention(deps: RetentionDeps): Retention {
  const { units, activityUnits, config, members, mintId, clockWatch, clock, log } = deps;
  /** Steps and changes of the policy alternate: once a change is answered, no step goes by an earlier policy. */
  const inTurn = createSerialQueue();
  let floor = 0;
  let isStopped = false;
  let nextAt = 0;
  let run: RetentionRun | null = null;
  /** The steps of the run in progress. */
  let steps: AsyncGenerator<Step> | null = null;
  /** The run that goes on by itself, because somebody asked for it. */
  let goingOn: Promise<void> | null = null;

  const policy = (): RetentionPolicy => config.current?.retention ?? {};

  function read(): RetentionState {
    const { messages, activity, audit, channels = {}, holds = [] } = policy();
    return {
      ...(messages !== undefined && { messages }),
      ...(activity !== undefined && { activity }),
      ...(audit !== undefined && { audit }),
      channels,
      holds,
      run: run === null ? null : { ...run },
    };
  }

  /** Ends the run, before anything else is removed by age, if the clock jumped. */
  function rightClock(): number {
    const now = clock();
    if (clockWatch.removalWaits() === 'jump') throw new Error('the clock jumped ahead');
    return now;
  }

  function start(): void {
    run = { startedAt: clock(), endedAt: null, messages: 0, activity: 0, audit: 0 };
    steps = sweep(mintId(), {
      units,
      activityUnits,
      policy,
      clock: rightClock,
      onMessagesRemoved(newest) {
        floor = newest;
      },
    });
    nextAt = clock() + everyMs;
  }

  const step = (): Promise<void> =>
    inTurn(async () => {
      if (isStopped || steps === null || run === null) return;
      const present = { run, steps };
      try {
        const { value, done } = await steps.next();
        if (!done) {
          present.run[value.of] += value.removed;
          return;
        }
      } catch (err) {
        // The next run goes on from here: every step left the stores complete.
        log.warn({ err }, 'removing what is old is put off');
      }
      present.run.endedAt = clock();
      if (steps === present.steps) steps = null;
    });

  async function goOn(count: number): Promise<void> {
    for (let left = count; left > 0 && steps !== null && !isStopped; left--) {
      await step();
      await pause();
    }
  }

  /** Whether the target of a hold exists, or is a member that was removed. */
  async function isKnown(on: string): Promise<boolean> {
    const knows = async (name: string): Promise<boolean> =>
      members.find(name) !== undefined || units.isHoldable({ kind: 'member', id: name });
    const member = memberOfHold(on);
    if (member !== null) return knows(member);
    const scope = parseScope(on);
    switch (scope?.kind) {
      case 'channel':
        return units.isHoldable({ kind: 'channel', id: scope.channelId });
      case 'objective':
        return units.isHoldable({ kind: 'objective', id: scope.objectiveId });
      case 'direct':
        return (await Promise.all(scope.member.split(':').map(knows))).every(Boolean);
      default:
        return true;
    }
  }

  /** Somebody may have written a hold by hand, and misspelled what it is on. Null if all are on something. */
  async function mistakenHold(): Promise<string | null> {
    for (const { on } of policy().holds ?? []) if (!(await isKnown(on))) return on;
    return null;
  }

  return {
    read,
    async update(patch, by) {
      if (patch.hold !== undefined && !(await isKnown(patch.hold.on)))
        refuse('unknown_hold_target', { target: patch.hold.on });
      const hold = patch.hold && {
        ...patch.hold,
        on: keyOfHold(patch.hold.on),
        id: mintId(),
        by,
        at: clock(),
      };
      await inTurn(() =>
        config.update((current) => ({ ...current, ...retentionBlock(current, patch, hold ?? null) })),
      );
      // A rule that was set by mistake can be corrected before it removes anything.
      if (run !== null && steps !== null) run.endedAt = clock();
      steps = null;
      nextAt = clock() + everyMs;
      return read();
    },
    async begin() {
      if (clockWatch.removalWaits() === 'jump') refuse('clock_jumped');
      const mistaken = await mistakenHold();
      if (mistaken !== null) refuse('hold_on_nothing', { target: mistaken });
      // Items that the run in progress has passed may be under a new rule.
      start();
      goingOn ??= goOn(Number.POSITIVE_INFINITY).finally(() => {
        goingOn = null;
      });
      return read();
    },
    async keepUp() {
      if (isStopped || goingOn !== null) return;
      if (steps === null) {
        if (!isDue(nextAt, clock()) || !hasRules(policy()) || clockWatch.removalWaits() !== null) return;
        const mistaken = await mistakenHold();
        if (mistaken !== null) {
          nextAt = clock() + everyMs;
          log.warn({ hold: mistaken }, 'nothing that is old is removed, because a legal hold is on nothing');
          return;
        }
        start();
      }
      await goOn(stepsPerTurn);
    },
    keeps: (key) => isHeldScope(policy(), key),
    heldMembers: () => heldMembers(policy()),
    messageFloor: () => floor,
    async load() {
      floor = await units.messageFloor();
      if (hasRules(policy()) && clockWatch.removalWaits() === 'silence')
        log.warn(
          'no message is from the week before the last day: what is old is removed a day after this start',
        );
      await unlessDamaged(recordRemovals({ units, activityUnits, clock }));
    },
    async stop() {
      isStopped = true;
      await goingOn;
      await inTurn(() => undefined);
    },
  };
}

/** Returns the block after the change. @throws BrokerError unknown_hold, or conflict beyond a limit. */
function retentionBlock(
  { retention = {} }: SvcConfig,
  { messages, activity, audit, channels = {}, release }: RetentionPatch,
  hold: LegalHold | null,
): Pick<SvcConfig, 'retention'> {
  const { holds = [] } = retention;
  if (release !== undefined && !holds.some(({ id }) => id === release)) refuse('unknown_hold');
  const kept = [...holds.filter(({ id }) => id !== release), ...(hold === null ? [] : [hold])];
  if (kept.length > limits.retention.holds)
    refuse('too_many_retention_holds', { max: limits.retention.holds });
  const rules = Object.entries({ ...retention.channels, ...channels }).filter(([, rule]) => rule !== null);
  if (rules.length > limits.retention.channels)
    refuse('too_many_channel_rules', { max: limits.retention.channels });
  return {
    retention: {
      ...retention,
      ...replaced('messages', retention.messages, messages),
      ...replaced('activity', retention.activity, activity),
      ...replaced('audit', retention.audit, audit),
      channels: Object.fromEntries(rules) as NonNullable<RetentionPolicy['channels']>,
      holds: kept,
    },
  };
}

/** A rule that is absent stays as it is, and null removes it. */
const replaced = <Name extends string, Rule>(
  name: Name,
  present: Rule | undefined,
  given: Rule | null | undefined,
): { [K in Name]?: Rule | undefined } =>
  ({ [name]: given === undefined ? present : (given ?? undefined) }) as { [K in Name]?: Rule | undefined };
