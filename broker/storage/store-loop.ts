/**
 * The life of a store thread: take every call that waits, run the writes in ONE transaction with a savepoint each, commit once
 * (one sync), then answer all. A unit that throws rolls back alone.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { StartUpError } from '../runtime/start-up-error.ts';
import { inMemory, lockStore, openDatabase } from './sqlite/open-database.ts';
import {
  describeFailure,
  type Failure,
  type FromThread,
  type ThreadSettings,
  type ToThread,
} from './thread-messages.ts';
import type { Units } from './units.ts';

/** Bounds what one commit holds back; the rest waits for the next one. */
const callsPerCommit = 2048;

export interface StoreDefinition {
  migrations: readonly string[];
  units: (db: Database.Database) => Units;
}

interface Call {
  name: string;
  input: unknown;
}

type Outcome = { value: unknown } | { failure: Failure };

export function runStoreThread(
  port: MessagePort,
  settings: ThreadSettings,
  definition: StoreDefinition,
): void {
  const say = (message: FromThread) => port.postMessage(message);
  let lock: Database.Database | null = null;
  let db: Database.Database;
  let units: Units;
  try {
    if (settings.role === 'writer') lock = lockStore(settings.file);
    db = openDatabase(settings.file, settings.role, definition.migrations);
    units = definition.units(db);
  } catch (error) {
    lock?.close();
    const exitCode = error instanceof StartUpError ? error.exitCode : 1;
    say({ failed: { message: error instanceof Error ? error.message : String(error), exitCode } });
    port.close();
    return;
  }
  const runTurn = settings.role === 'reader' ? readTurn(db, units) : writeTurn(db, units);
  say({ ready: { reads: Object.keys(units.reads), writes: Object.keys(units.writes) } });

  port.on('message', (first: ToThread) => {
    const calls: Call[] = [];
    let next: ToThread | undefined = first;
    let closing = false;
    while (next !== undefined) {
      if (next === 'close') {
        closing = true;
        break;
      }
      for (const [index, name] of next.names.entries()) calls.push({ name, input: next.inputs[index] });
      next =
        calls.length < callsPerCommit
          ? (receiveMessageOnPort(port)?.message as ToThread | undefined)
          : undefined;
    }
    if (calls.length > 0) answer(say, runTurn(calls));
    if (closing) {
      if (settings.role === 'writer' && settings.file !== inMemory) db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
      lock?.close();
      port.close();
    }
  });
}

function answer(say: (message: FromThread) => void, outcomes: Outcome[]): void {
  const values: unknown[] = [];
  const failures: [number, Failure][] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if ('failure' in outcome) {
      failures.push([index, outcome.failure]);
      values.push(null);
    } else values.push(outcome.value);
  }
  say({ values, failures });
}

function attempt(run: () => unknown): Outcome {
  try {
    return { value: run() };
  } catch (error) {
    return { failure: describeFailure(error) };
  }
}

/** One snapshot for the whole turn: every call in it was made after the commits it may rely on. */
function readTurn(db: Database.Database, units: Units): (calls: Call[]) => Outcome[] {
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  return (calls) => {
    begin.run();
    const outcomes = calls.map((call) => attempt(() => units.reads[call.name]?.(call.input)));
    if (db.inTransaction) commit.run();
    return outcomes;
  };
}

/** A full disk or a failing device ends the whole transaction; then nobody in the turn is told that it succeeded. */
class TurnLost extends Error {}

function writeTurn(db: Database.Database, units: Units): (calls: Call[]) => Outcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT unit');
  const release = db.prepare('RELEASE unit');
  const rollbackUnit = db.prepare('ROLLBACK TO unit');

  function runUnit(call: Call): Outcome {
    const read = units.reads[call.name];
    if (read !== undefined) return attempt(() => read(call.input));
    savepoint.run();
    const outcome = attempt(() => units.writes[call.name]?.(call.input));
    if ('failure' in outcome) {
      if (!db.inTransaction)
        throw new TurnLost('storage' in outcome.failure ? outcome.failure.storage : 'the transaction ended');
      rollbackUnit.run();
    }
    release.run();
    return outcome;
  }

  return (calls) => {
    try {
      begin.run();
      const outcomes = calls.map(runUnit);
      commit.run();
      return outcomes;
    } catch (error) {
      if (db.inTransaction) rollback.run();
      const failure: Failure =
        error instanceof TurnLost ? { storage: error.message } : describeFailure(error);
      return calls.map(() => ({ failure }));
    }
  };
}
