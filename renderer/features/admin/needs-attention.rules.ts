/** The conditions that an operator should act on, among the facts that the console has read (specification/console.md#health). Pure. */
import type { Attention } from '#protocol/attention.ts';
import type { AuditRecord } from '#protocol/audit.ts';
import { clockSentences } from '#protocol/clock-text.ts';
import type { Diagnostics } from '#protocol/diagnostics.ts';
import type { LoginFailureReport } from '#protocol/session.ts';
import type { PushSubscriptionInfo } from '#protocol/web-push.ts';
import { knockSentence } from '../../shell/knock.rules.ts';
import { fileSize } from '../../ui/file-size.rules.ts';

/** The remedy for a condition: a command for the broker's machine, a place of the console, or the acknowledgment of a cut. */
export type Mend =
  | { kind: 'command'; text: string }
  | { kind: 'place'; place: 'backup' | 'logins' | 'notifications' }
  | { kind: 'cut'; seq: number };

/** Of a store, beside its name. */
export const inMemory = 'in memory, lost when the broker stops';

export interface Condition {
  key: string;
  sentence: string;
  /** Null if the sentence says it. */
  mend: Mend | null;
}

/** Whether what the team writes lasts. */
export interface StorageFacts {
  diagnostics: Pick<Diagnostics, 'stores'>;
  lowDisks: Attention['lowDisks'];
  /** Of the desktop app, and null in a browser. */
  backup: {
    last: { endedAt: number; isDone: boolean; text: string; fault?: string | undefined } | null;
    isDaily: boolean;
    /** This machine stands by, and backups belong to the active machine. */
    isElsewhere: boolean;
  } | null;
}

export interface HealthFacts extends StorageFacts {
  diagnostics: Diagnostics;
  logins: LoginFailureReport;
  /** Of the logged-in member. */
  subscriptions: readonly PushSubscriptionInfo[];
  /** The records of cuts that nobody acknowledged. */
  cuts: readonly AuditRecord[];
}

/** Of the present minute. `muster doctor` warns of less, which passes by itself. */
const slowLoopMs = 500;
const longQueue = 1000;
const doctor: Mend = { kind: 'command', text: 'muster doctor' };

function ofStores({ stores }: StorageFacts['diagnostics']): Condition[] {
  return stores.flatMap(({ name, damage }): Condition[] => {
    if (damage === undefined) return [];
    return [
      {
        key: `damage ${name}`,
        sentence: `The ${name} store is damaged or cannot be used (${damage}). Stop the broker, and repair the store.`,
        mend: { kind: 'command', text: 'muster repair' },
      },
    ];
  });
}

/** The options of `muster serve` that give a store a file. */
const fileOptions = new Map([
  ['main', '--db main.db'],
  ['activity', '--activity-db activity.db'],
]);

function ofMemory({ stores }: StorageFacts['diagnostics']): Condition[] {
  const names = stores.filter(({ isOnDisk }) => !isOnDisk).map(({ name }) => name);
  if (names.length === 0) return [];
  const subject = names.length === 1 ? `The ${names[0]} store is` : `The ${names.join(' and ')} stores are`;
  const sentence = `${subject} in memory: everything there is lost when the broker stops, and no backup includes it. Add a file for ${names.length === 1 ? 'it' : 'each'} to the command that starts the broker, for example:`;
  const text = ['muster serve', ...names.flatMap((name) => fileOptions.get(name) ?? [])].join(' ');
  return [{ key: 'memory', sentence, mend: { kind: 'command', text } }];
}

const ofDisks = (lowDisks: Attention['lowDisks'] = []): Condition[] =>
  lowDisks.map(({ store, freeBytes, floorBytes }) => ({
    key: `disk ${store}`,
    sentence: `The disk of the ${store} store has ${fileSize(freeBytes)} left. Below ${fileSize(floorBytes)}, the broker accepts nothing that needs space.`,
    mend:
      store === 'activity'
        ? { kind: 'command', text: 'muster prune-activity --older-than 30d' }
        : { kind: 'place', place: 'backup' },
  }));

function ofBackup(backup: StorageFacts['backup']): Condition[] {
  if (backup === null || backup.isElsewhere) return [];
  const { last } = backup;
  if (last?.isDone === true && last.fault === undefined) return [];
  const sentence =
    last === null
      ? 'This app has made no backup yet.'
      : last.isDone
        ? `The last backup was made, but has a fault: ${last.fault}`
        : `The last backup failed: ${last.text}`;
  return [{ key: 'backup', sentence, mend: { kind: 'place', place: 'backup' } }];
}

const ofCuts = (cuts: readonly AuditRecord[]): Condition[] =>
  cuts.map(({ seq, before }) => ({
    key: `cut ${seq}`,
    sentence: `The audit log was cut: when the broker started, record ${String(before?.seq ?? 'that it knew')} was missing.`,
    mend: { kind: 'cut', seq },
  }));

const ofFailingPush = (subscriptions: readonly PushSubscriptionInfo[]): Condition[] =>
  subscriptions
    .filter(({ lastFailureAt, lastSuccessAt }) => (lastFailureAt ?? 0) > (lastSuccessAt ?? 0))
    .map(({ id, device, host }) => ({
      key: `push ${id}`,
      sentence: `Your notifications do not arrive on “${device}”, because ${host} refuses them or cannot be reached.`,
      mend: { kind: 'place', place: 'notifications' },
    }));

function ofBroker({ filesFault, clock, stores, eventLoopDelay }: Diagnostics): Condition[] {
  const queued = stores.reduce((sum, store) => sum + store.queued, 0);
  const isSlow = eventLoopDelay.p99 >= slowLoopMs || queued >= longQueue;
  return [
    ...(filesFault === undefined
      ? []
      : [
          {
            key: 'files',
            sentence: `${filesFault.charAt(0).toUpperCase()}${filesFault.slice(1)}.`,
            mend: doctor,
          },
        ]),
    ...(clock === undefined
      ? []
      : [{ key: 'clock', sentence: clockSentences(clock).join(' '), mend: doctor }]),
    ...(isSlow ? [{ key: 'load', sentence: 'The broker’s machine is overloaded.', mend: doctor }] : []),
  ];
}

/** Returns the conditions under which something may be lost, the gravest first. */
export const storageConditions = ({ diagnostics, lowDisks, backup }: StorageFacts): Condition[] => [
  ...ofStores(diagnostics),
  ...ofMemory(diagnostics),
  ...ofDisks(lowDisks),
  ...ofBackup(backup),
];

/** Returns one condition for each thing to act on, the gravest first. */
export function conditionsOf(facts: HealthFacts): Condition[] {
  const { diagnostics, logins, subscriptions, cuts } = facts;
  const failedLogins = knockSentence(logins);
  return [
    ...storageConditions(facts),
    ...ofCuts(cuts),
    ...ofBroker(diagnostics),
    ...(failedLogins === null
      ? []
      : [
          {
            key: 'logins',
            sentence: failedLogins,
            mend: { kind: 'place', place: 'logins' } as const,
          },
        ]),
    ...ofFailingPush(subscriptions),
  ];
}
