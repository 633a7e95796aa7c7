/**
 * The record of who must have what: everything that the senders tried, what was acknowledged, and the checks of what
 * readers found.
 */
import assert from 'node:assert/strict';
import type { Message } from '#protocol/message.ts';

export interface Attempt {
  from: string;
  /** Null for a broadcast. */
  to: string | null;
  /** Unique, so that attempts can be told apart in the history. */
  body: string;
  key: string | null;
  /** The message of the 200 response; null if there was none. */
  acknowledged: Message | null;
}

export interface Found {
  member: string;
  /** The broadcasts, newest first, across all pages. */
  general: readonly Message[];
  /** The member's direct messages by the other side, newest first, across all pages. */
  directByOther: ReadonlyMap<string, readonly Message[]>;
}

const byId = (a: Message, b: Message): number => (a.id < b.id ? -1 : 1);

/** The messages that one member may read, oldest first. */
export function readableBy(found: Found): Message[] {
  return [...found.general, ...[...found.directByOther.values()].flat()].sort(byId);
}

export class CrashModel {
  readonly attempts: Attempt[] = [];

  attempt(from: string, to: string | null, body: string, key: string | null): Attempt {
    const attempt: Attempt = { from, to, body, key, acknowledged: null };
    this.attempts.push(attempt);
    return attempt;
  }

  /** A repeat under the same key must be answered with the same message as the first time. */
  acknowledge(attempt: Attempt, message: Message): void {
    if (attempt.acknowledged === null) attempt.acknowledged = message;
    else assert.deepEqual(message, attempt.acknowledged, 'a repeat was answered with another message');
  }

  unanswered(): Attempt[] {
    return this.attempts.filter(({ key, acknowledged }) => key !== null && acknowledged === null);
  }

  /**
   * Every acknowledged or keyed message is in the history once, every other one at most once, and only the
   * members who may read it have it.
   */
  checkHistories(all: readonly Found[]): void {
    const attemptByBody = new Map(this.attempts.map((attempt) => [attempt.body, attempt]));
    for (const found of all) {
      const { member } = found;
      const times = new Map<string, number>();
      for (const list of [found.general, ...found.directByOther.values()]) assertNewestFirst(list, member);
      const places: [string | null, readonly Message[]][] = [
        [null, found.general],
        ...found.directByOther.entries(),
      ];
      for (const [other, messages] of places) {
        for (const message of messages) {
          const attempt = attemptByBody.get(message.body);
          assert(attempt, `${member} holds a message nobody sent: ${message.id}`);
          times.set(message.body, (times.get(message.body) ?? 0) + 1);
          const { from, to } = attempt;
          assert.deepEqual([message.from, message.to], [from, to], `${message.id} changed hands`);
          if (other === null) assert.equal(to, null, `a direct message is in general: ${message.id}`);
          else
            assert.deepEqual(
              [from, to].sort(),
              [member, other].sort(),
              `${message.id} is in a foreign scope`,
            );
          if (attempt.acknowledged !== null)
            assert.deepEqual(
              message,
              attempt.acknowledged,
              `${message.id} differs from what was acknowledged`,
            );
        }
      }
      for (const { body, from, to, key, acknowledged } of this.attempts) {
        const mayRead = to === null || from === member || to === member;
        const count = times.get(body) ?? 0;
        const name = `${acknowledged?.id ?? 'the unacknowledged message'} of ${from} in the history of ${member}`;
        if (!mayRead) assert.equal(count, 0, `${name} is not theirs to read`);
        else if (acknowledged !== null || key !== null) assert.equal(count, 1, `${name}: ${count} times`);
        else assert(count <= 1, `${name}: ${count} times`);
      }
    }
    const general = all.map((found) => found.general.map(({ id }) => id).join());
    assert.equal(new Set(general).size, 1, 'members hold different broadcasts');
  }
}

function assertNewestFirst(messages: readonly Message[], member: string): void {
  for (const [index, message] of messages.entries()) {
    const older = messages[index + 1];
    if (older === undefined) return;
    assert(message.id > older.id && message.ts >= older.ts, `${member}: ${older.id} is out of order`);
  }
}

/**
 * A stream that began at some position has everything that the member may read from there on, in order, once,
 * and nothing else.
 */
export function checkStream(
  received: readonly Message[],
  readable: readonly Message[],
  isFromStart: boolean,
  name: string,
): void {
  const start = isFromStart ? 0 : readable.length - received.length;
  assert.deepEqual(
    received.map(({ id }) => id),
    readable.slice(Math.max(0, start)).map(({ id }) => id),
    `${name} does not hold what history holds`,
  );
  assert.deepEqual(received, readable.slice(Math.max(0, start)), `${name} holds other content than history`);
}
