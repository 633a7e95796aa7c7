import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const childPath = fileURLToPath(new URL('./testing/membership-child.ts', import.meta.url));
const rounds = 4;

interface Known {
  /** The last token that was acknowledged. */
  token: string | null;
  /** The tokens that were revoked before it. */
  revoked: string[];
  isRemoved: boolean;
  /** The step in progress when the process was killed. */
  cutOff: string | null;
}

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'] } });
  await team.broker.close();
});
afterEach(() => team.stop());

async function killedRound(round: number, members: Map<string, Known>): Promise<void> {
  const args = [childPath, team.configPath, join(team.folder, 'main.db'), team.token('ada'), String(round)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let lines = 0;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { begin, done, name, token } = JSON.parse(line);
      const known = members.get(name) ?? { token: null, revoked: [], isRemoved: false, cutOff: null };
      members.set(name, known);
      known.cutOff = begin ?? null;
      if (done === 'remove') known.isRemoved = true;
      if (typeof token === 'string') {
        if (known.token !== null) known.revoked.push(known.token);
        known.token = token;
      }
      lines += 1;
      // A little further in each round, so that different steps are interrupted, at a random moment within
      // them.
      if (lines === 8 + 3 * round) setTimeout(() => child.kill('SIGKILL'), Math.random() * 12);
    }
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

const status = async (token: string) =>
  (await fetch(`${team.url}/roster`, { headers: { authorization: `Bearer ${token}` } })).status;

it('keeps what was acknowledged of members and tokens after kill -9; an interrupted step happened completely or not at all', async () => {
  const members = new Map<string, Known>();
  for (let round = 0; round < rounds; round++) await killedRound(round, members);
  await team.restart();
  const { teammates } = await team.as('ada').call('roster', {});
  const present = new Set<string>(teammates.map(({ name }) => name));
  expect(members.size).toBeGreaterThan(rounds);

  for (const [name, { token, revoked, isRemoved, cutOff }] of members) {
    const isPresent = present.has(name);
    if (isRemoved) expect(isPresent, name).toBe(false);
    else if (token !== null && cutOff !== 'remove') expect(isPresent, name).toBe(true);
    for (const old of revoked) expect(await status(old), name).toBe(401);
    if (token !== null && cutOff !== 'rotate') expect(await status(token), name).toBe(isPresent ? 200 : 401);
    if (isPresent) {
      const { tokens } = await team.as('ada').call('tokens', { params: { name } });
      expect(tokens, name).toHaveLength(1);
    } else if (token !== null) {
      // It was a member, so its name is not available again.
      const reply = await team.fetch('ada', '/members', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, role: { title: 'x' }, permissions: [] }),
      });
      expect(reply.status, name).toBe(409);
    }
  }
});
