/** Machines of which one does not have the folder that the team shares mounted (docs/specification/standby.md#contents-of-files). */
import { rename, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../testing/until.ts';
import { createMachines, type Machine, type Machines } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let machines: Machines;
let first: Machine;

beforeEach(async () => {
  await postgres.start();
  const files = { root: 'files' };
  machines = await createMachines(await postgres.createDatabase(), ['ada', 'ben'], { files });
  first = machines.first;
});
afterEach(() => machines.remove());

const authorization = (at: Machine) => ({ authorization: `Bearer ${at.tokenOf('ada')}` });
const upload = (at: Machine, name: string) =>
  fetch(`${at.url}/fs/write?path=/ada/${name}`, {
    method: 'POST',
    headers: { ...authorization(at), 'content-type': 'application/octet-stream' },
    body: `the text of ${name}`,
  });
async function contentOf(at: Machine, name: string): Promise<string> {
  const response = await fetch(`${at.url}/fs/read/ada/${name}`, { headers: authorization(at) });
  return response.text();
}

describe('a machine without the folder that the team shares', { timeout: 240_000 }, () => {
  it('says so, stores nothing after a takeover, and has everything once the folder is there', async () => {
    await first.start();
    await first.active();
    expect((await upload(first, 'before.txt')).status).toBe(200);
    const second = await machines.add('second');
    await second.start();
    await until(() => second.errors.includes('without the contents of files'), 'it says what is missing');
    await until(
      async () => (await first.run('standby')).stdout.includes('lacks something'),
      'its status says so',
    );

    await symlink(join(first.folder, 'files'), join(second.folder, 'files'));
    await until(() => second.errors.includes('has the contents of files again'), 'it says that it is there');
    await unlink(join(second.folder, 'files'));
    await until(
      () => second.errors.split('without the contents of files').length === 3,
      'it says again what is missing',
    );

    await first.exit('SIGTERM');
    await second.active();
    const refused = await upload(second, 'lost.txt');
    expect([refused.status, await refused.json()]).toMatchObject([503, { reason: 'files_not_shared' }]);

    // As if it were mounted.
    await rename(join(second.folder, 'files'), join(second.folder, 'below')).catch(() => undefined);
    await symlink(join(first.folder, 'files'), join(second.folder, 'files'));
    expect((await upload(second, 'after.txt')).status).toBe(200);
    expect(await contentOf(second, 'before.txt')).toBe('the text of before.txt');
  });
});
