import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
let now: number;
beforeEach(async () => {
  now = Date.now();
  team = await startFileTeam({
    members: { ada: ['admin'], ben: [], cy: [], dee: [], eve: ['admin'] },
    clock: () => now,
  });
  await team.write('ben', '/ben/plan.md', 'plan');
});
afterEach(() => team.stop());

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const plan = { bytes: 4, hash: sha256('plan') };
const overwrite = (member: string, content: string) =>
  team.write(member, '/ben/plan.md', content, { collide: 'overwrite' });

/** Returns the records of files in the log, oldest first. */
async function recorded() {
  const { records } = await team.as('ada').call('audit', { query: { after: '1' } });
  return records.map(({ kind, member, subject, before, after }) => ({
    kind,
    member,
    subject,
    before,
    after,
  }));
}
const byAda = { member: 'ada', subject: '/ben/plan.md' };

describe('the audit log, of a home', () => {
  it('has what another member replaced, with the content before and after', async () => {
    await overwrite('ada', 'other');
    const after = { bytes: 5, hash: sha256('other') };
    expect(await recorded()).toEqual([{ ...byAda, kind: 'files_overwritten', before: plan, after }]);
  });

  it('has what another member moved, within the home and out of it', async () => {
    const move = (from: string, to: string) => team.as('ada').call('moveFile', { body: { from, to } });
    await move('/ben/plan.md', '/ben/renamed.md');
    await move('/ben/renamed.md', '/ada/taken.md');
    const kind = 'files_moved';
    expect(await recorded()).toEqual([
      { ...byAda, kind, before: plan, after: { path: '/ben/renamed.md' } },
      { ...byAda, kind, subject: '/ben/renamed.md', before: plan, after: { path: '/ada/taken.md' } },
    ]);
  });

  it('has what another member removed, a directory with how much was in it', async () => {
    await team.write('ben', '/ben/notes/deep/a.txt', 'four');
    await team.write('ben', '/ben/notes/b.txt', 'five!');
    const remove = (path: string) =>
      team.as('ada').call('removeFile', { query: { path, recursive: 'true' } });
    await remove('/ben/plan.md');
    await remove('/ben/notes');
    const removed = { kind: 'files_removed', member: 'ada', after: null };
    expect(await recorded()).toEqual([
      { ...removed, subject: '/ben/plan.md', before: plan },
      { ...removed, subject: '/ben/notes', before: { files: 2, bytes: 9 } },
    ]);
  });

  it('has nothing of what the owner does, and of what another member only adds', async () => {
    await overwrite('ben', 'mine');
    await team.as('ben').call('moveFile', { body: { from: '/ben/plan.md', to: '/ben/mine.md' } });
    await team.as('ada').call('makeDirectory', { body: { path: '/ben/inbox' } });
    await team.write('ada', '/ben/inbox/new.txt', 'for you');
    await team.write('ada', '/ada/draft.txt', 'draft');
    const gift = { from: '/ada/draft.txt', to: '/ben/inbox/draft.txt' };
    await team.as('ada').call('moveFile', { body: gift });
    await team.as('ben').call('removeFile', { query: { path: '/ben/mine.md' } });
    expect(await recorded()).toEqual([]);
  });
});

describe('the audit log, of a private file', () => {
  const read = async (member: string) => (await team.get(member, '/ben/plan.md')).status;
  const kinds = async () => (await recorded()).map(({ kind, member }) => [kind, member]);

  it('has that a manager read it, with the content, once an hour', async () => {
    await read('ada');
    await team.get('ada', '/ben/plan.md', { range: 'bytes=1-2' });
    const seen = { ...byAda, kind: 'files_read', before: null, after: plan };
    expect(await recorded()).toEqual([seen]);
    now += 3_599_999;
    await read('ada');
    expect(await recorded()).toHaveLength(1);
    now += 1;
    await read('ada');
    expect(await recorded()).toEqual([seen, seen]);
  });

  it('has each new content that a manager read, and a read after the clock was set back', async () => {
    await read('ada');
    await overwrite('ben', 'newer');
    await read('ada');
    now -= 1;
    await read('ada');
    const hashes = (await recorded()).map(({ after }) => after?.hash);
    expect(hashes).toEqual([plan.hash, sha256('newer'), sha256('newer')]);
  });

  it('has nothing of a read by the owner, through a grant, or that is refused', async () => {
    expect([await read('ben'), await read('cy')]).toEqual([200, 403]);
    await team.share('ben', 'cy', '/ben/plan.md');
    await team.share('ben', 'ada', '/ben/plan.md');
    expect([await read('cy'), await read('ada')]).toEqual([200, 200]);
    expect(await recorded()).toEqual([]);
  });

  it('has that a manager shared it, in a message and with an objective', async () => {
    await team.share('ada', 'cy', '/ben/plan.md');
    const attachments = ['/ben/plan.md'];
    const objective = { title: 'Plan', outcome: 'Done', assignee: 'cy', attachments };
    await team.as('ada').call('createObjective', { body: objective });
    await read('ada');
    // The thread of her own objective lets her read it, but only because she shared it.
    expect(await kinds()).toEqual([
      ['files_shared', 'ada'],
      ['files_shared', 'ada'],
      ['files_read', 'ada'],
    ]);
    expect((await recorded())[0]).toMatchObject({ subject: '/ben/plan.md', after: { objectiveId: null } });
  });

  it('has each new content that a manager reads after she shared it with herself, until its owner shares it', async () => {
    await team.share('ada', 'ada', '/ben/plan.md');
    await read('ada');
    await overwrite('ben', 'newer');
    await read('ada');
    await team.share('ada', 'ada', '/ben/plan.md');
    expect((await kinds()).map(([kind]) => kind).sort()).toEqual([
      'files_read',
      'files_read',
      'files_shared',
      'files_shared',
    ]);
    await team.share('ben', 'ada', '/ben/plan.md');
    await overwrite('ben', 'for ada');
    await read('ada');
    expect(await kinds()).toHaveLength(4);
  });

  it('has who reads it through a share of another manager by right, until its owner shares it', async () => {
    await team.share('ada', null, '/ben/plan.md');
    for (const member of ['eve', 'cy', 'cy', 'ben']) expect(await read(member)).toBe(200);
    expect((await kinds()).slice(1)).toEqual([
      ['files_read', 'eve'],
      ['files_read', 'cy'],
    ]);
    await team.share('ben', null, '/ben/plan.md');
    await overwrite('ben', 'for all');
    for (const member of ['ada', 'eve', 'cy']) expect(await read(member)).toBe(200);
    expect(await kinds()).toHaveLength(3);
  });

  it('has who reads it through a share of somebody to whom a manager shared it by right', async () => {
    await team.share('ada', 'cy', '/ben/plan.md');
    await team.share('cy', 'dee', '/ben/plan.md');
    expect(await read('dee')).toBe(200);
    expect((await kinds()).slice(1)).toEqual([['files_read', 'dee']]);
    await team.share('ben', 'cy', '/ben/plan.md');
    await team.share('cy', 'dee', '/ben/plan.md');
    await overwrite('ben', 'for cy');
    for (const member of ['cy', 'dee']) expect(await read(member)).toBe(200);
    expect(await kinds()).toHaveLength(2);
  });

  it('has one record of reads at the same time', async () => {
    await team.share('ada', 'cy', '/ben/plan.md');
    expect(await Promise.all(Array.from({ length: 20 }, () => read('cy')))).toEqual(Array(20).fill(200));
    expect((await kinds()).slice(1)).toEqual([['files_read', 'cy']]);
  });

  it('has that a manager shared on what another manager shared by right', async () => {
    await team.share('ada', 'eve', '/ben/plan.md');
    await team.share('eve', 'cy', '/ben/plan.md');
    expect(await kinds()).toEqual([
      ['files_shared', 'ada'],
      ['files_shared', 'eve'],
    ]);
  });

  it('has nothing of what its owner shares', async () => {
    await team.share('ben', 'cy', '/ben/plan.md');
    expect(await recorded()).toEqual([]);
  });
});
