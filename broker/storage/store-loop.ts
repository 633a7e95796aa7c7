/**
 * The life of a store thread: take a turn's calls, everything that waits, run the writes in ONE transaction,
 * commit once (one sync), then answer all of them. A unit that throws is rolled back alone. A unit may be run
 * twice, so it changes nothing but the store.
 */
import type { MessagePort } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { reasonOf } from '#platform/error-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { goBehindOthers } from '../runtime/thread-priority.ts';
import type { Ship, ShipNews } from '../standby/ship.ts';
import {
  type FileLayout,
  inMemory,
  lockStore,
  openDatabase,
  realName,
  UnusableStore,
} from './sqlite/open-database.ts';
import {
  describeFailure,
  type Failure,
  type FromThread,
  isDamage,
  movedWith,
  type ThreadSettings,
  type ToThread,
  type TurnTime,
} from './thread-messages.ts';
import type { Units } from './units.ts';

export interface StoreDefinition {
  migrations: readonly string[];
  layout?: FileLayout;
  /** Its writes let chat go first, because megabytes of activity can wait a moment (docs/benchmarks.md). */
  isBackground?: true;
  units: (db: Database.Database) => Units;
}

interface Call {
  name: string;
  input: unknown;
}

type Outcome = { value: unknown } | { failure: Failure };
/** The known results of a turn's calls, in their order; a turn of reads may come in parts. */
interface Part {
  outcomes: Outcome[];
  /** The time of each read, in ms. */
  callMs?: number[];
  commitMs: number;
}

type Say = (message: FromThread, moved?: ArrayBuffer[]) => void;

export function runStoreThread(
  port: MessagePort,
  settings: ThreadSettings,
  definition: StoreDefinition,
): void {
  const say: Say = (message, moved = []) => port.postMessage(message, moved);
  let lock: Database.Database | null = null;
  let db: Database.Database;
  let units: Units;
  let damage: string | null = null;
  // A post needs the serving thread and the writer, and waits for neither of them while somebody reads much.
  if (settings.role === 'reader') goBehindOthers('reading');
  else if (definition.isBackground) goBehindOthers('background');
  try {
    if (settings.role === 'writer') lock = lockStore(settings.file);
    db = openDatabase(settings.file, settings.role, definition.migrations, {
      ...definition.layout,
      isShipped: settings.ship !== undefined,
      onDamage(fault) {
        damage = fault;
      },
    });
    units = definition.units(db);
  } catch (error) {
    lock?.close();
    const exitCode = error instanceof StartUpError ? error.exitCode : 1;
    say({ failed: { message: reasonOf(error), exitCode, isUnusable: error instanceof UnusableStore } });
    port.close();
    return;
  }
  // The host decides which of the threads reads.
  const all = { ...units, reads: { ...units.reads, ...units.longReads } };
  const runTurn = settings.role === 'reader' ? readTurn(db, all) : writeTurn(db, all);
  const { reads, longReads = {}, writes, fromJson = [] } = units;
  const isJson = new Set(fromJson);

  function begin(ship: Ship | null): void {
    say({
      ready: {
        reads: Object.keys(reads),
        longReads: Object.keys(longReads),
        writes: Object.keys(writes),
        fromJson: [...fromJson],
      },
      damage,
    });
    port.on('message', (turn: ToThread) => take(turn, ship));
  }

  function take(turn: ToThread, ship: Ship | null): void {
    if (turn !== 'close') {
      const run = () => {
        const startedAt = performance.now();
        const calls = turn.names.map((name, index) => {
          const input = turn.inputs[index];
          return { name, input: isJson.has(name) ? JSON.parse(input as string) : input };
        });
        for (const { outcomes, ...times } of runTurn(calls)) {
          const answerNow = (isShipped: boolean) =>
            answer(say, outcomes, { ...times, isShipped, turnMs: performance.now() - startedAt });
          if (ship === null) answerNow(false);
          else ship.turn().then(answerNow, sayUnshipped);
        }
      };
      const preparing = prepare(units, turn.names);
      if (preparing === null) run();
      else void preparing.finally(run);
      return;
    }
    if (ship !== null) {
      ship.close().then(end, end);
      return;
    }
    if (settings.role === 'writer' && settings.file !== inMemory) foldLog(db);
    end();
  }

  function end(): void {
    db.close();
    lock?.close();
    port.close();
  }

  const sayUnshipped = (error: unknown) => say({ unshipped: reasonOf(error) });

  if (settings.ship === undefined) begin(null);
  else void shipFirst(db, settings, newsTo(say)).then(begin, sayUnshipped);
}

/** Says a fault again and again, and its end once. */
function newsTo(say: (news: FromThread) => void): ShipNews {
  let isFaulty = false;
  return {
    onLostTail: () => say({ lostTail: true }),
    onFault(reason) {
      if (reason !== null || isFaulty) say({ untaken: reason });
      isFaulty = reason !== null;
    },
  };
}

/** Resolves when what opening the store wrote is in the log. Loaded here, because hardly any broker needs it. */
async function shipFirst(
  db: Database.Database,
  settings: ThreadSettings,
  news: ShipNews,
): Promise<Ship | null> {
  const { store, file, ship: options } = settings;
  if (options === undefined) return null;
  const { createShip } = await import('../standby/ship.ts');
  const ship = createShip(db, store, realName(file), options, news);
  await ship.begin();
  return ship;
}

/**
 * Prepares what units need before their first call; nothing else of the store runs in the meantime. A
 * preparation that fails is tried again with the next call.
 */
function prepare(units: Units, names: readonly string[]): Promise<void> | null {
  const { beforeFirst } = units;
  if (beforeFirst === undefined) return null;
  const needed = [...new Set(names)].filter((name) => Object.hasOwn(beforeFirst, name));
  if (needed.length === 0) return null;
  const work = needed.map(async (name) => {
    await beforeFirst[name]?.();
    delete beforeFirst[name];
  });
  return Promise.allSettled(work).then(() => undefined);
}

/** On a full disk, the log stays beside the file. Nothing is lost, because the next start reads both. */
function foldLog(db: Database.Database): void {
  attempt(() => db.pragma('wal_checkpoint(TRUNCATE)'));
}

function answer(say: Say, outcomes: Outcome[], time: TurnTime): void {
  const values: unknown[] = [];
  const failures: [number, Failure][] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if ('failure' in outcome) {
      failures.push([index, outcome.failure]);
      values.push(null);
    } else values.push(outcome.value);
  }
  try {
    say({ values, failures, ...time }, movedWith(values));
  } catch {
    say({ ...withoutUnsayable(values, failures), ...time });
  }
}

/**
 * A unit that returns something other than plain data has a bug; the others in its turn get their answers.
 */
function withoutUnsayable(
  values: readonly unknown[],
  failures: readonly [number, Failure][],
): { values: unknown[]; failures: [number, Failure][] } {
  const outcomes = values.map((value) => attempt(() => structuredClone(value)));
  const unsayable = outcomes.flatMap((outcome, index): [number, Failure][] =>
    'failure' in outcome ? [[index, outcome.failure]] : [],
  );
  return {
    values: outcomes.map((outcome) => ('value' in outcome ? outcome.value : null)),
    failures: [...failures, ...unsayable],
  };
}

function attempt(run: () => unknown): Outcome {
  try {
    return { value: run() };
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}

/** The reads so far are answered after this time, because the next call of the turn may take long. */
const partAfterMs = 1;

/**
 * One snapshot for the whole turn, because every call in it was made after the commits on which it may rely.
 */
function readTurn(db: Database.Database, units: Units): (calls: Call[]) => Generator<Part> {
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  return function* parts(calls) {
    begin.run();
    const emptyPart = () => ({ outcomes: [] as Outcome[], callMs: [] as number[], commitMs: 0 });
    let part = emptyPart();
    let partBegunAt = performance.now();
    let begunAt = partBegunAt;
    for (const call of calls) {
      if (part.outcomes.length > 0 && begunAt - partBegunAt > partAfterMs) {
        yield part;
        part = emptyPart();
        begunAt = performance.now();
        partBegunAt = begunAt;
      }
      part.outcomes.push(attempt(() => units.reads[call.name]?.(call.input)));
      const endedAt = performance.now();
      part.callMs.push(endedAt - begunAt);
      begunAt = endedAt;
    }
    // The commit of reads fails only if a full-text index is damaged, whose reader has its answer.
    if (db.inTransaction && 'failure' in attempt(() => commit.run()) && db.inTransaction) rollback.run();
    yield part;
  };
}

/**
 * A full disk or a failing device ends the whole transaction; then nobody in the turn is told that it
 * succeeded.
 */
class TurnLost extends Error {}

/**
 * How many turns are run with a savepoint per unit once a unit threw: a member whose changes are all refused must not make
 * each turn run twice.
 */
const guardedAfterFailure = 32;

/**
 * Runs a turn's units together; if one throws, it runs all of them again with a savepoint each, so that this one is
 * rolled back alone. Savepoints cost a tenth of a post (docs/benchmarks.md).
 */
function writeTurn(db: Database.Database, units: Units): (calls: Call[]) => [Part] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT unit');
  const release = db.prepare('RELEASE unit');
  const rollbackUnit = db.prepare('ROLLBACK TO unit');

  function stillInTurn(outcome: Outcome): Outcome {
    if (db.inTransaction) return outcome;
    throw new TurnLost(
      'failure' in outcome && 'storage' in outcome.failure
        ? outcome.failure.storage
        : 'the transaction ended',
    );
  }

  const unitOf = (call: Call) => units.reads[call.name] ?? units.writes[call.name];
  const run = (call: Call): Outcome => stillInTurn(attempt(() => unitOf(call)?.(call.input)));

  /** A unit that throws is rolled back alone. */
  function runGuarded(call: Call): Outcome {
    if (units.reads[call.name] !== undefined) return run(call);
    savepoint.run();
    const outcome = run(call);
    if ('failure' in outcome) rollbackUnit.run();
    release.run();
    return outcome;
  }

  function timedCommit(): number {
    const startedAt = performance.now();
    commit.run();
    return performance.now() - startedAt;
  }

  /** Null if a unit threw and has to be left out; then nothing is written. */
  function runTogether(calls: readonly Call[]): Part | null {
    begin.run();
    const outcomes: Outcome[] = [];
    for (const call of calls) {
      const outcome = run(call);
      outcomes.push(outcome);
      if (!('failure' in outcome) || units.reads[call.name] !== undefined) continue;
      rollback.run();
      return calls.length === 1 ? { outcomes, commitMs: 0 } : null;
    }
    return { outcomes, commitMs: timedCommit() };
  }

  function runOneByOne(calls: readonly Call[]): Part {
    begin.run();
    const outcomes = calls.map(runGuarded);
    return { outcomes, commitMs: timedCommit() };
  }

  let guardedTurns = 0;

  function runTurn(calls: Call[]): Part {
    try {
      const part = guardedTurns === 0 || calls.length === 1 ? runTogether(calls) : null;
      guardedTurns =
        part === null && guardedTurns === 0 ? guardedAfterFailure : Math.max(0, guardedTurns - 1);
      return part ?? runOneByOne(calls);
    } catch (error) {
      if (db.inTransaction) rollback.run();
      const failure: Failure =
        error instanceof TurnLost ? { storage: error.message } : describeFailure(error);
      // The full-text index writes in the commit: its damage must not fail what shares the turn.
      if (isDamage(failure) && calls.length > 1) return joinedParts(calls.map((call) => runTurn([call])));
      return { outcomes: calls.map(() => ({ failure })), commitMs: 0 };
    }
  }
  return (calls) => [runTurn(calls)];
}

const joinedParts = (parts: readonly Part[]): Part => ({
  outcomes: parts.flatMap(({ outcomes }) => outcomes),
  commitMs: parts.reduce((sum, { commitMs }) => sum + commitMs, 0),
});
