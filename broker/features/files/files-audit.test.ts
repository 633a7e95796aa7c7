import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
beforeEach(async () => {
  team = await startFileTeam({ members: { ada: ['admin'], ben: [] } });
  await team.write('ben', '/ben/plan.md', 'plan');
});
afterEach(() => team.stop());

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const plan = { bytes: 4, hash: sha256('plan') };
const overwrite = (member: string, content: string) =>
  team.write(member, '/ben/plan.md', content, { collide: 'overwrite' });

/** What the log says of files, oldest first. */
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
