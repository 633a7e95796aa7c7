/** The content of a store after a power failure that cut off its log at any place. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Message, PushResult } from '#protocol/message.ts';
import { missedUnits } from '../../broker/features/messages/missed.sqlite.ts';
import { mainMigrations } from '../../broker/storage/main.migrations.ts';
import { openDatabase } from '../../broker/storage/sqlite/open-database.ts';
import { testFolder } from '../../broker/storage/testing/test-store.ts';
import type { SeededRandom } from './seeded-random.ts';
import { prepareServedBroker } from './served-broker.ts';

const headerBytes = 32;
const frameBytes = 24 + 4096;
const acceptedAtMost = 1000;

/**
 * The main store and its log as a killed broker leaves them, and the messages that it had acknowledged, in
 * the order of acceptance.
 */
async function killedBroker(
  folder: string,
  pushes: number,
): Promise<{ file: string; log: Buffer; acknowledged: Message[] }> {
  const broker = await prepareServedBroker(['ada', 'ben']);
  try {
    await broker.start();
    const push = async (n: number): Promise<Message> => {
      const response = await fetch(`${broker.url}/push`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${broker.token('ada')}`,
          'content-type': 'application/json',
          ...(n % 4 === 0 && { 'idempotency-key': `key-${n}` }),
        },
        // Some rows take pages of their own, and some are direct messages with rows for both sides.
        body: JSON.stringify({
          body: `${n}`.padEnd(n % 5 === 0 ? 9000 : 3, '.'),
          ...(n % 3 === 0 && { to: 'ben' }),
        }),
      });
      expect(response.status).toBe(200);
      return PushResult.parse(await response.json()).message;
    };
    const acknowledged: Message[] = [];
    for (let n = 0; n < pushes / 2; n++) acknowledged.push(await push(n));
    // The second half shares commits.
    const together = Array.from({ length: pushes / 2 }, (_, n) => push(pushes / 2 + n));
    acknowledged.push(...(await Promise.all(together)).sort((a, b) => (a.id < b.id ? -1 : 1)));
    await broker.kill();
    const file = join(folder, 'killed.db');
    await cp(broker.mainDbPath, file);
    return { file, log: await readFile(`${broker.mainDbPath}-wal`), acknowledged };
  } finally {
    await broker.remove();
  }
}

/** Returns the messages that ada and ben have when the file is opened with this log beside it. */
async function openedWith(file: string, log: Buffer): Promise<{ ada: Message[]; ben: Message[] }> {
  const copy = `${file}.copy`;
  await cp(file, copy);
  await writeFile(`${copy}-wal`, log);
  const db = openDatabase(copy, 'writer', mainMigrations);
  try {
    const { missedBy } = missedUnits(db).reads;
    const all = (name: string) =>
      missedBy({
        readers: [{ reader: { name, isManager: false }, after: 0 }],
        limit: acceptedAtMost,
        characters: 2 ** 30,
      }).messages.map(({ seq, json }) => ({ seq, message: JSON.parse(json) }));
    const ada = all('ada');
    expect(ada.map(({ seq }) => seq)).toEqual(ada.map((_, index) => index + 1));
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    return { ada: ada.map(({ message }) => message), ben: all('ben').map(({ message }) => message) };
  } finally {
    db.close();
    for (const suffix of ['', '-wal', '-shm']) await rm(copy + suffix, { force: true });
  }
}

/**
 * Cuts, tears, and garbles the log of a killed broker at every frame. Each time, the store has to open with a complete prefix of the
 * messages, in the order of acceptance. `random` chooses the byte within a frame; `step` leaves frames out, except the last one.
 */
export async function proveTornLog(pushes: number, random: SeededRandom, step = 1): Promise<void> {
  const { file, log, acknowledged } = await killedBroker(await testFolder(), pushes);
  const frames = (log.length - headerBytes) / frameBytes;
  expect(Number.isInteger(frames)).toBe(true);
  expect(frames).toBeGreaterThan(pushes);

  // The log's own header is torn, so nothing of it counts.
  for (const length of [0, 1, 16, 31]) {
    expect((await openedWith(file, log.subarray(0, length))).ada).toEqual([]);
  }
  let held = 0;
  for (let frame = frames % step; frame <= frames; frame += step) {
    const boundary = headerBytes + frame * frameBytes;
    const torn = boundary + 1 + random.below(frameBytes - 1);
    const cuts: [string, Buffer][] = [[`cut at frame ${frame}`, log.subarray(0, boundary)]];
    if (frame < frames && frame % 2 === 0) {
      // The disk kept the length, but not all the bytes.
      const garbled = Buffer.concat([log.subarray(0, torn), Buffer.alloc(log.length - torn, 'torn')]);
      cuts.push(
        frame % 4 === 0
          ? [`torn at byte ${torn}`, log.subarray(0, torn)]
          : [`garbled from byte ${torn}`, garbled],
      );
    }
    for (const [cut, part] of cuts) {
      const { ada, ben } = await openedWith(file, part);
      expect(ada, cut).toEqual(acknowledged.slice(0, ada.length));
      expect(ben, cut).toEqual(ada);
      expect(ada.length, cut).toBeGreaterThanOrEqual(held);
      held = ada.length;
    }
  }
  expect(held).toBe(pushes);
}
