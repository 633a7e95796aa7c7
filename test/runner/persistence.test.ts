/** On a real broker that is away for a while. */
import { expect, it, onTestFinished } from 'vitest';
import { createHttpClient } from '#client/http-client.ts';
import { startTestBroker } from '../../broker/testing/test-broker.ts';
import { createPersistence } from '../../runner/session/persistence.ts';
import { createBrokerCalls } from '../../runner/toolbox/broker-calls.ts';
import { post } from '../../runner/toolbox/post.ts';
import { ToolError } from '../../runner/toolbox/tool.ts';

/** A pause lasts until the test ends it, or until the signal aborts. */
function heldPauses() {
  const pauses: (() => void)[] = [];
  const pause = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      pauses.push(resolve);
    });
  return { pauses, pause };
}

async function open() {
  const team = await startTestBroker({ members: { ada: ['admin'], ben: [] }, onDisk: true });
  onTestFinished(() => team.stop());
  const broker = createBrokerCalls(createHttpClient({ url: team.url, token: team.token('ben') }));
  const briefing = await team.as('ben').call('briefing', {});
  const say = () =>
    post(
      { broker, briefing, causes: () => [] },
      { kind: 'member', name: 'ada' },
      { body: 'done', key: 'k1' },
    );
  const said = async () =>
    (await team.as('ada').call('history', { query: { with: 'ben' } })).messages.map(({ body }) => body);
  return { team, say, said };
}

it('posts once when the broker is back', async () => {
  const { team, say, said } = await open();
  const { pauses, pause } = heldPauses();
  const { persist } = createPersistence({ pause, onWait: () => undefined });
  let posted: Promise<unknown> = Promise.resolve();
  await team.restart(async () => {
    posted = persist(say);
    await expect.poll(() => pauses.length).toBe(1);
    pauses[0]?.();
    await expect.poll(() => pauses.length).toBe(2);
  });
  pauses[1]?.();
  await posted;
  // Also if an attempt before had arrived.
  await persist(say);
  expect(await said()).toEqual(['done']);
});

it('gives up at once what the broker refuses, and at the end what is still under way', async () => {
  const { team, say } = await open();
  const { pauses, pause } = heldPauses();
  const { persist, stop } = createPersistence({ pause, onWait: () => undefined });
  await expect(persist(() => Promise.reject(new ToolError('no', { cause: 403 })))).rejects.toThrow('no');
  await team.restart(async () => {
    const posted = persist(say);
    await expect.poll(() => pauses.length).toBe(1);
    const stopped = stop(3000);
    pauses[1]?.();
    await expect(posted).rejects.toThrow(ToolError);
    await stopped;
  });
});

it('gives up after an hour, long before the broker forgets the key, and says once that it waits', async () => {
  const { team, say } = await open();
  const { pauses, pause } = heldPauses();
  let [now, waits] = [0, 0];
  const { persist } = createPersistence({ pause, now: () => now, onWait: () => void waits++ });
  await team.restart(async () => {
    const posted = persist(say);
    await expect.poll(() => pauses.length).toBe(1);
    pauses[0]?.();
    await expect.poll(() => pauses.length).toBe(2);
    now = 3_600_000;
    pauses[1]?.();
    await expect(posted).rejects.toThrow(ToolError);
  });
  expect(waits).toBe(1);
});
