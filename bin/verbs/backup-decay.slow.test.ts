import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from '../testing/command.ts';
import { tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let snapshot = '';
/** So many that some of them are due for a check on any day. */
const bodies = Array.from({ length: 24 }, (_, n) => `content ${n}`);
const at = (folder: string) => ({
  SVC_CONFIG_PATH: home.path(`${folder}/svc.json`),
  SVC_DB_PATH: home.path(`${folder}/main.db`),
  SVC_ACTIVITY_DB_PATH: home.path(`${folder}/activity.db`),
});
const svc = (folder: string, args: string[]) => home.run(args, { env: at(folder) });
const hashOf = (body: string) => createHash('sha256').update(body).digest('hex');
const blobOf = (body: string) => join(hashOf(body).slice(0, 2), hashOf(body));

/** One bit of the content, in a copy of the folder of backups. */
async function decayed(name: string, damagedBodies: readonly string[]): Promise<string> {
  const folder = home.path(name);
  await cp(home.path('backups'), folder, { recursive: true });
  for (const body of damagedBodies) {
    const path = join(folder, 'blobs', blobOf(body));
    const bytes = await readFile(path);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await writeFile(path, bytes);
  }
  return folder;
}

beforeAll(async () => {
  home = await createHome();
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), { files: { root: 'files' } });
  const server = await home.serve([], at('team'));
  for (const [n, body] of bodies.entries())
    await fetch(`${server.url}/fs/write?path=/ada/${n}.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ada}`, 'content-type': 'text/plain' },
      body,
    });
  server.child.kill('SIGTERM');
  await server.ended;
  await svc('team', ['backup', '--to', home.path('backups')]);
  snapshot = (await readdir(home.path('backups'))).find((name) => /^\d/.test(name)) ?? '';
});
afterAll(() => home.remove());

describe('a restore from a folder whose shared contents decayed', () => {
  it('goes around damaged and missing contents, names their paths, and exits with 1', async () => {
    const folder = await decayed('rotten', [bodies[3] ?? '']);
    await rm(join(folder, 'blobs', blobOf(bodies[5] ?? '')));
    const restored = await svc('around', ['restore', folder]);
    expect(restored).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('22 file contents verified, 2 missing\n'),
      stderr: expect.stringContaining('damaged in the backup, and not restored: /ada/3.txt\n'),
    });
    expect(restored.stderr).toContain('damaged in the backup, and not restored: /ada/5.txt\n');
    const server = await home.serve([], at('around'));
    const read = (n: number) =>
      fetch(`${server.url}/fs/read/ada/${n}.txt`, { headers: { authorization: `Bearer ${tokens.ada}` } });
    expect(await (await read(4)).text()).toBe(bodies[4]);
    expect((await read(3)).ok).toBe(false);
    server.child.kill('SIGTERM');
    await server.ended;
    const asJson = await svc('json', ['restore', folder, '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ missing: 2, damaged: ['/ada/3.txt', '/ada/5.txt'] });
  });
});

describe('muster backup --verify', () => {
  it('reads all backups of a folder, and says per backup what is damaged', async () => {
    const folder = home.path('verified');
    await cp(home.path('backups'), folder, { recursive: true });
    await svc('team', ['backup', '--to', folder]);
    const whole = await svc('team', ['backup', '--verify', folder]);
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining(`${snapshot}: whole\n`) });
    const path = join(folder, 'blobs', blobOf(bodies[0] ?? ''));
    await writeFile(path, 'CONTENT 0');
    await rm(join(folder, snapshot, 'activity.db'));
    const { code, stdout } = await svc('team', ['backup', '--verify', folder]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${snapshot}: damaged\n  "activity.db" is missing\n`);
    expect(stdout.match(new RegExp(`  "blobs/${blobOf(bodies[0] ?? '')}" is damaged\n`, 'g'))).toHaveLength(
      2,
    );
    const asJson = JSON.parse((await svc('team', ['backup', '--verify', folder, '--json'])).stdout);
    expect(asJson).toMatchObject({ folder, contents: 24, backups: [{ name: snapshot }, {}] });
    expect(asJson.backups[0].faults).toHaveLength(2);
    expect(asJson.backups[1].faults).toHaveLength(1);
  });

  it('finds one bit of the manifest that changed, wherever it is', async () => {
    const folder = home.path('manifests');
    await cp(home.path('backups'), folder, { recursive: true });
    const path = join(folder, snapshot, 'manifest.json');
    const text = await readFile(path, 'utf8');
    for (const place of ['"createdAt":1', '"storeId":"', '"bytes":', '"counts":{"', '"audit":{"seq":']) {
      const bytes = Buffer.from(text);
      const at = text.indexOf(place) + place.length;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes);
      const { code, stdout } = await svc('team', ['backup', '--verify', folder]);
      expect([code, stdout], place).toEqual([
        1,
        expect.stringContaining(`${snapshot}: damaged\n  "manifest.json" is damaged\n`),
      ]);
    }
  });

  it('says which options do not go together, and that a folder has no backup', async () => {
    expect((await svc('team', ['backup', '--verify', home.path('x'), '--to', home.path('y')])).code).toBe(64);
    expect(await svc('team', ['backup', '--verify', home.path('x')])).toMatchObject({
      code: 1,
      stderr: `muster: there is no complete backup in "${home.path('x')}".\n`,
    });
  });
});

describe('a backup into a folder whose shared contents decayed', () => {
  it('finds those of the present day, replaces them, and exits with 1 and one sentence', async () => {
    const folder = await decayed('mending', bodies);
    const made = await svc('team', ['backup', '--to', folder]);
    expect(made.code).toBe(1);
    const [, count] = /\ndamaged in the folder of backups, and replaced .*: (\d+) file contents?;/.exec(
      `\n${made.stderr}`,
    ) ?? [null, '0'];
    expect(Number(count)).toBeGreaterThan(0);
    const { stdout } = await svc('team', ['backup', '--verify', folder, '--json']);
    const { backups } = JSON.parse(stdout);
    for (const { faults } of backups) expect(faults).toHaveLength(bodies.length - Number(count));
  });

  it('also checks what only older backups have, and says that it cannot be replaced', async () => {
    const folder = await decayed('older', bodies);
    const fewer = home.path('fewer');
    await cp(home.path('team'), fewer, { recursive: true });
    await rm(join(fewer, 'main.db'));
    await rm(join(fewer, 'activity.db'));
    await rm(join(fewer, 'files'), { recursive: true });
    const server = await home.serve([], at('fewer'));
    server.child.kill('SIGTERM');
    await server.ended;
    const { code, stderr } = await svc('fewer', ['backup', '--to', folder]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^damaged in the folder of backups, and not in the folder of files: \d+ file contents?; /m,
    );
    const json = await svc('fewer', ['backup', '--to', folder, '--json']);
    expect(JSON.parse(json.stdout).lost.length).toBeGreaterThan(0);
  });
});
