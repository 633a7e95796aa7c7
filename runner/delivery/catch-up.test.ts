import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRunState } from '../session/run-state.ts';
import { createCatchUp } from './catch-up.ts';
import { createDelivery } from './delivery.ts';
import { directMessage } from './testing/direct-message.ts';
import { plainDeps } from './testing/test-delivery.ts';

const pageSize = 200;

/** The messages of one member at the broker, which wait until they have a receipt. */
function waitingAtBroker(count: number) {
  const messages = Array.from({ length: count }, (_, n) => directMessage(n, `task ${n}`));
  const received = new Set<string>();
  return {
    received,
    async waiting() {
      const left = messages.filter(({ id }) => !received.has(id));
      return { messages: left.slice(-pageSize), more: Math.max(0, left.length - pageSize) };
    },
  };
}

/** One start of a run, whose agent takes at most so many bundles. Returns the numbers of the tasks, and all texts. */
async function start(folder: string, broker: ReturnType<typeof waitingAtBroker>, maxBundles: number) {
  const state = await openRunState(folder, 'http://broker', 'ben');
  const tasks: number[] = [];
  const texts: string[] = [];
  let isOver = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const delivery = createDelivery({
    state,
    ...plainDeps,
    wakes: () => true,
    onHandOver: () => undefined,
    async bring({ messageIds, text }) {
      if (texts.length === maxBundles) {
        isOver();
        return new Promise<void>(() => undefined);
      }
      texts.push(text);
      tasks.push(...messageIds.map((id) => Number.parseInt(id.slice(-6), 16)));
      delivery.onEvidence(messageIds, 'in_context');
      if (delivery.unsettled === 0 || !delivery.hasWaking) isOver();
    },
    report: async (id) => void broker.received.add(id),
  });
  delivery.setReady(true);
  const { waiting } = broker;
  await createCatchUp({ delivery, state, waiting, now: () => 1 }).run('c1');
  if (delivery.hasWaking) await over;
  await delivery.flushReports();
  return { tasks, texts };
}

it('of 1,000 waiting messages, brings the newest 200 in order, counts the others, and never brings those later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-waiting-'));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const broker = waitingAtBroker(1000);
  const first = await start(folder, broker, 5);
  expect(first.texts[0]).toContain('800 older messages are also waiting; read them with the tool "recent"');
  const second = await start(folder, broker, 100);
  const brought = [...first.tasks, ...second.tasks];
  expect(brought).toEqual(brought.toSorted((one, other) => one - other));
  expect(new Set(brought)).toEqual(new Set(Array.from({ length: 200 }, (_, n) => 800 + n)));
  const third = await start(folder, broker, 100);
  expect(third.tasks).toEqual([]);
});
