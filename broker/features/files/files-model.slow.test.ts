import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FsEntry, FsWritten } from '#protocol/files.ts';
import { FileModel, type Step } from './testing/file-model.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

const members = ['ada', 'ben', 'cy'];
/** FILES_MODEL_RUNS is 40 by default. */
const numRuns = Number(process.env.FILES_MODEL_RUNS ?? 40);

let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({ members: { ada: ['members.manage'], ben: [], cy: [] } });
});
afterAll(() => team.stop());

const member = fc.constantFrom(...members);
// Few names, so that steps collide; some sort right around the separator.
const segment = fc.constantFrom('a', 'a-', 'a0', 'b.txt');
const path = fc
  .tuple(fc.constantFrom('ben', 'cy', 'ben', 'ada'), fc.array(segment, { minLength: 0, maxLength: 3 }))
  .map(([home, segments]) => `/${[home, ...segments].join('/')}`);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      by: member,
      path,
      collide: fc.constantFrom('error' as const, 'overwrite' as const, 'suffix' as const),
      body: fc.constantFrom('one', 'two', 'three'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('mkdir' as const), by: member, path, recursive: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rm' as const), by: member, path, recursive: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mv' as const), by: member, from: path, to: path }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('share' as const),
      by: member,
      path,
      to: fc.constantFrom('ada', 'ben', 'cy', null),
    }),
  },
);

function request(step: Step): Promise<Response> {
  switch (step.kind) {
    case 'write':
      return team.put(step.by, step.path, step.body, { collide: step.collide });
    case 'mkdir':
      return team.post(step.by, 'mkdir', { path: step.path, recursive: step.recursive });
    case 'rm':
      return team.ask(step.by, 'rm', step.path, { recursive: String(step.recursive) });
    case 'mv':
      return team.post(step.by, 'mv', { from: step.from, to: step.to });
    case 'share':
      return team.share(step.by, step.to, step.path);
  }
}

async function emptyHomes(): Promise<void> {
  for (const name of members) {
    for (const child of await team.names('ada', `/${name}`)) {
      await team.ask('ada', 'rm', `/${name}/${child}`, { recursive: 'true' });
    }
  }
}

async function compare(model: FileModel): Promise<void> {
  const places = new Set(['/', ...model.nodes.keys(), '/ben/a', '/cy/a/b.txt', '/zoe/a']);
  await Promise.all(
    members.flatMap((name) => [
      ...[...places].map(async (place) => {
        const expected = model.read(name, place);
        if (place !== '/') {
          const read = await team.get(name, place);
          const found = { status: read.status, ...(read.ok && { body: await read.text() }) };
          expect({ name, place, ...found }).toEqual({ name, place, ...expected });
        }
        const { status, names } = model.list(name, place);
        const listed = await team.ask(name, 'ls', place);
        expect([name, place, listed.status]).toEqual([name, place, status]);
        if (status === 200)
          expect([name, place, (await team.names(name, place)).sort()]).toEqual([name, place, names]);
      }),
      (async () => {
        const reply = (await (await team.ask(name, 'shared', '/')).json()) as { entries: FsEntry[] };
        expect([name, reply.entries.map((entry) => entry.path)]).toEqual([name, model.shared(name)]);
      })(),
    ]),
  );
  expect((await team.blobs()).sort()).toEqual(model.hashes());
}

describe('any sequence of steps by several members', () => {
  it('is answered as a model in memory says, and shows each member what the model says that it may see', {
    timeout: 120_000 + numRuns * 10_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await emptyHomes();
        const model = new FileModel(members, 'ada');
        for (const taken of steps) {
          const expected = model.take(taken);
          const reply = await request(taken);
          const answer = await reply.text();
          expect({ ...taken, status: reply.status }).toEqual({ ...taken, status: expected.status });
          if (expected.path !== undefined) {
            const { entry, renamed } = JSON.parse(answer) as FsWritten;
            expect([entry.path, renamed]).toEqual([
              expected.path,
              taken.kind === 'write' && taken.path !== entry.path,
            ]);
          }
        }
        await compare(model);
      }),
      { numRuns },
    );
  });
});
