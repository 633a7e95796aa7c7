/**
 * The cost of one member without rights that attacks with everything: nothing of the others is lost, and their requests wait at most
 * three times as long as without it. Turns without and with the attack alternate in one run.
 */
import { expect, it, onTestFinished } from 'vitest';
import { percentile } from '../bench/http-load.ts';
import { prepareServedBroker } from '../crash/served-broker.ts';
import { subscribe } from '../testing/subscription.ts';
import { startHostileMember } from './hostile-process.ts';

const members = ['ada', 'ben', 'cy', 'di'];
const turns = 4;
const turnMs = 4000;
const betweenMs = 15;
/** The broker finishes the work of the turn before by then. */
const betweenTurnsMs = 1000;
const allowedRatio = 3;

/** Milliseconds that each request of the other members took. */
type Waits = Record<'posts' | 'reads', number[]>;
const noWaits = (): Waits => ({ posts: [], reads: [] });
const p99 = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.99,
  );

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('one hostile member costs the others no message, and little time', async () => {
  const served = await prepareServedBroker([...members, 'mal'], {
    rawPermissions: (name) => (name === 'ada' ? ['admin'] : []),
  });
  onTestFinished(() => served.remove());
  await served.start();

  const received = new Map<string, string[]>(members.map((name) => [name, []]));
  for (const member of members) {
    const request = subscribe({
      url: served.url,
      member,
      token: served.token(member),
      cursor: undefined,
      onOpen: () => undefined,
      onReady: () => undefined,
      onMessage: (data) => received.get(member)?.push(JSON.parse(data).body),
      onFault: (fault) => expect.unreachable(fault),
      onClose: () => undefined,
    });
    onTestFinished(() => void request.destroy());
  }

  const acknowledged = new Map<string, string[]>(members.map((name) => [name, []]));
  const ask = async (by: string, method: string, path: string, body?: object): Promise<number> => {
    const from = performance.now();
    const headers = { authorization: `Bearer ${served.token(by)}`, 'content-type': 'application/json' };
    const reply = await fetch(served.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    await reply.arrayBuffer();
    expect(reply.status, `${method} ${path}`).toBe(200);
    return performance.now() - from;
  };

  async function turn(label: string, waits: Waits): Promise<void> {
    const until = performance.now() + turnMs;
    await Promise.all(
      members.map(async (by, at) => {
        for (let n = 0; performance.now() < until; n++) {
          const to = members[(at + 1) % members.length] ?? '';
          const body = `${label} ${by} ${n}`;
          waits.posts.push(await ask(by, 'POST', '/push', { to, body }));
          // A stream also carries what its member sends.
          for (const name of [by, to]) acknowledged.get(name)?.push(body);
          waits.reads.push(await ask(by, 'GET', `/history?with=${to}&limit=50`));
          await wait(betweenMs);
        }
      }),
    );
  }

  await turn('warm-up', noWaits());
  const hostile = startHostileMember(served, 'mal');
  onTestFinished(hostile.end);
  const beside = noWaits();
  const idle = noWaits();
  for (let n = 0; n < turns; n++) {
    hostile.turn(true);
    await wait(betweenTurnsMs);
    await turn(`beside ${n}`, beside);
    hostile.turn(false);
    await wait(betweenTurnsMs);
    await turn(`idle ${n}`, idle);
  }
  for (const kind of ['posts', 'reads'] as const) {
    const [attacked, alone] = [p99(beside[kind]), p99(idle[kind])];
    expect(
      attacked / alone,
      `${kind}: ${attacked} ms beside the attack, ${alone} ms without it`,
    ).toBeLessThanOrEqual(allowedRatio);
  }
  for (const member of members)
    await expect.poll(() => received.get(member)?.toSorted()).toEqual(acknowledged.get(member)?.toSorted());
});
