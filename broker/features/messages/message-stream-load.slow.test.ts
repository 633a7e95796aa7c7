import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const send = (from: string, body: string, to?: string) =>
  team.as(from).call('push', { body: { body, ...(to && { to }) } });
const isMessage = ({ event }: { event?: string | undefined }) => event === 'message';
const received = (count: number) => (frames: { event?: string | undefined }[]) =>
  frames.filter(isMessage).length >= count;

describe('GET /subscribe under load', () => {
  it('resumes without a gap or a repeat while others are posting', async () => {
    const start = (await team.stream('ben')).cursor();
    const total = 1200;
    let sent = 0;
    const senders = Array.from({ length: 8 }, async () => {
      while (sent < total) {
        sent += 1;
        await send('ada', `m${sent}`, sent % 3 === 0 ? 'ben' : undefined);
      }
    });
    const streams = [];
    for (let n = 0; n < 12; n++) {
      streams.push(await team.stream('ben', start));
      await send('cy', `from cy ${n}`);
    }
    await Promise.all(senders);
    const expected = total + 12;
    for (const stream of streams) await stream.until(received(expected));
    const inHistory = await everythingOf('ben');
    for (const stream of streams) {
      const ids = stream.messages().map(({ id }) => id);
      expect(ids).toEqual([...ids].sort());
      expect(new Set(ids).size).toBe(expected);
      expect(new Set(ids)).toEqual(inHistory);
    }
  });

  it('disconnects a reader that does not read when 1 MiB is queued for it; it resumes by cursor, and others are never slowed down', async () => {
    const slow = await team.stream('ben');
    const quick = await team.stream('cy');
    slow.pause();
    const body = 'x'.repeat(60_000);
    const enough = 150;
    for (let n = 0; n < enough; n++) {
      await send('ada', `${n} ${body}`);
      await quick.until(received(n + 1));
    }
    const roster = await team.as('ada').call('roster', {});
    expect(roster.connected.find(({ name }) => name === 'ben')?.connected).toBe(0);
    expect(roster.connected.find(({ name }) => name === 'cy')?.connected).toBe(1);
    const resumed = await team.stream('ben', slow.cursor());
    const before = slow.messages().length;
    await resumed.until(received(enough - before));
    expect(resumed.messages().map(({ body }) => Number.parseInt(body, 10))).toEqual(
      Array.from({ length: enough - before }, (_, n) => before + n),
    );
  });
});

async function everythingOf(name: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const scope of [{}, { with: 'ada' }]) {
    let page = await team.as(name).call('history', { query: { ...scope, limit: '500' } });
    while (page.messages.length > 0) {
      for (const { id } of page.messages) ids.add(id);
      const last = page.messages.at(-1);
      page = await team.as(name).call('history', {
        query: { ...scope, limit: '500', before: String(last?.ts), beforeId: String(last?.id) },
      });
    }
  }
  return ids;
}
