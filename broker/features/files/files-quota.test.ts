import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

const maxBytesPerMember = 1000;
/** The home itself counts. */
const maxEntriesPerMember = 4;

let team: FileTeam;
const start = (files: object) => startFileTeam({ onDisk: true, files });

async function refusalOf(reply: Response) {
  return [reply.status, ((await reply.json()) as { reason: string }).reason];
}

describe('a home', () => {
  beforeEach(async () => {
    team = await start({ maxBytesPerMember, maxEntriesPerMember });
  });
  afterEach(() => team.stop());

  it('takes no more bytes than it may hold, whether the size is declared or not', async () => {
    await team.write('ben', '/ben/a', 'x'.repeat(600));
    expect(await refusalOf(await team.put('ben', '/ben/b', 'x'.repeat(401)))).toEqual([409, 'home_full']);
    const chunked = await team.fetch('ben', '/fs/write?path=/ben/b', {
      method: 'POST',
      body: new Blob(['x'.repeat(401)]).stream(),
      duplex: 'half',
      headers: { 'content-type': 'text/plain' },
    } as RequestInit);
    expect(await refusalOf(chunked)).toEqual([409, 'home_full']);
    expect(await team.incoming()).toEqual([]);
    expect(await team.blobs()).toHaveLength(1);
    await team.write('ben', '/ben/b', 'x'.repeat(400));
    await team.write('ben', '/ben/a', 'x'.repeat(599), { collide: 'overwrite' });
    expect((await team.put('ben', '/ben/a', 'x'.repeat(601), { collide: 'overwrite' })).status).toBe(409);
    await team.write('cy', '/cy/a', 'x'.repeat(1000));
  });

  it('takes no more files and directories than it may hold', async () => {
    await team.write('ben', '/ben/a/b', 'x');
    const full = [409, 'too_many_entries'];
    expect(await refusalOf(await team.put('ben', '/ben/a/c/d', 'x'))).toEqual(full);
    const nested = { path: '/ben/c/d', recursive: true };
    expect(await refusalOf(await team.post('ben', 'mkdir', nested))).toEqual(full);
    await team.write('ben', '/ben/a/c', 'x');
    expect(await refusalOf(await team.post('ben', 'mkdir', { path: '/ben/d' }))).toEqual(full);
    await team.write('ada', '/ada/moved', 'x');
    expect(await refusalOf(await team.post('ada', 'mv', { from: '/ada/moved', to: '/ben/moved' }))).toEqual(
      full,
    );
    expect((await team.post('ben', 'mv', { from: '/ben/a/b', to: '/ben/b' })).status).toBe(200);
    await team.ask('ben', 'rm', '/ben/a', { recursive: 'true' });
    expect((await team.post('ada', 'mv', { from: '/ada/moved', to: '/ben/moved' })).status).toBe(200);
  });

  it('is counted as it is, whatever was written, moved, and removed', async () => {
    await team.write('ben', '/ben/a/b', 'xx');
    await team.write('ben', '/ben/a/b', 'xxxxx', { collide: 'overwrite' });
    await team.post('ben', 'mv', { from: '/ben/a/b', to: '/ben/c' });
    await team.write('ada', '/ada/x', 'xxx');
    await team.post('ada', 'mv', { from: '/ada/x', to: '/cy/x' });
    await team.ask('ben', 'rm', '/ben/a', { recursive: 'true' });
    await team.broker.close();
    const db = new DatabaseSync(join(team.folder, 'main.db'), { readOnly: true });
    const usage = db.prepare('SELECT home, entries, bytes FROM fs_usage ORDER BY home').all();
    db.close();
    expect(usage).toEqual([
      { home: '', entries: 1, bytes: 0 },
      { home: 'ada', entries: 1, bytes: 0 },
      { home: 'ben', entries: 2, bytes: 5 },
      { home: 'cy', entries: 2, bytes: 3 },
    ]);
  });
});

describe('a disk with less free space than it must have', () => {
  beforeEach(async () => {
    team = await start({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  });
  afterEach(() => team.stop());

  it('takes no files; messages still pass', async () => {
    expect(await refusalOf(await team.put('ben', '/ben/a', 'x'))).toEqual([503, 'disk_nearly_full']);
    await team.as('ben').call('push', { body: { body: 'still here' } });
  });
});
