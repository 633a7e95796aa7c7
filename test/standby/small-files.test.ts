/** The configuration and the small files of a team on several machines (docs/specification/standby.md#what-is-kept-where). */
import { createSecretKey, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectPageLog, type PageLog } from '../../broker/standby/page-log.ts';
import { createFilePlacer, createSmallFiles, type SmallFiles } from '../../broker/standby/small-files.ts';
import { until } from '../testing/until.ts';
import { openLine } from './database-line.ts';
import { postgresForTests } from './postgres.ts';

const kek = createSecretKey(randomBytes(32));
const postgres = postgresForTests();
let url: string;
let folder: string;
let log: PageLog;
let active: SmallFiles;

const configOf = (name: string) =>
  JSON.stringify({ team: { name, directive: '', brief: '', permissionPresets: {} }, store: { members: [] } });
const inFolder = (machine: string, name: string) => join(folder, machine, name);
const read = (machine: string, name = 'svc.json') => readFileSync(inFolder(machine, name), 'utf8');
const write = (machine: string, content: string, name = 'svc.json') =>
  writeFileSync(inFolder(machine, name), content);
/** As a start of the machine does. */
async function place(machine: string): Promise<void> {
  const placer = await createFilePlacer(inFolder(machine, 'svc.json'), inFolder(machine, 'main.db'));
  await placer.refuseOther(log);
  await placer.place(log);
}
/** As the active broker does when it starts, and after it wrote the configuration. */
const keepConfig = (machine = 'one') => active.keep([Buffer.from(read(machine))]);
async function beginTerm(machine: string): Promise<SmallFiles> {
  const epoch = await log.take();
  if (epoch === null) throw new Error('the lease is not free');
  return createSmallFiles({ url, name: machine, kek, epoch, configPath: inFolder(machine, 'svc.json') });
}

beforeEach(async () => {
  url = await postgres.createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'muster-small-'));
  for (const machine of ['one', 'two']) {
    mkdirSync(join(folder, machine, 'tls'), { recursive: true });
    write(machine, 'a store', 'main.db');
  }
  log = await connectPageLog({ url, name: 'test', kek });
  await log.prepare();
  write('one', configOf('Lab'));
  active = await beginTerm('one');
});
afterEach(() => {
  active.end();
  log.end();
  rmSync(folder, { recursive: true });
});

describe('a machine that stands by', () => {
  it('has the files as they were kept last, and not what was removed', async () => {
    write('one', 'a certificate', 'tls/server.crt');
    write('one', '{}', 'svc.json.platform.json');
    await keepConfig();
    await place('two');
    expect([read('two'), read('two', 'tls/server.crt'), read('two', 'svc.json.platform.json')]).toEqual([
      configOf('Lab'),
      'a certificate',
      '{}',
    ]);
    rmSync(inFolder('one', 'svc.json.platform.json'));
    write('one', configOf('Lab 2'));
    await keepConfig();
    await place('two');
    expect(read('two')).toBe(configOf('Lab 2'));
    expect(existsSync(inFolder('two', 'svc.json.platform.json'))).toBe(false);
  });

  it('knows the folder that the machines share for files', async () => {
    write('one', 'the mark', 'svc.json.share');
    await keepConfig();
    await place('two');
    expect(read('two', 'svc.json.share').trim()).toBe('the mark');
  });

  it('keeps a configuration that a person changed there, and everybody has it after a takeover', async () => {
    await keepConfig();
    await place('two');
    write('two', configOf('By hand'));
    await place('two');
    expect(read('two')).toBe(configOf('By hand'));
    await lapsed();
    await keepConfig('two');
    await place('one');
    expect(read('one')).toBe(configOf('By hand'));
  });

  it('is refused if the team changed the configuration since, and the file stays as it is', async () => {
    await keepConfig();
    await place('two');
    write('two', configOf('By hand'));
    write('one', configOf('By the team'));
    await keepConfig();
    await expect(place('two')).rejects.toThrow('was changed on this machine');
    expect(read('two')).toBe(configOf('By hand'));
  });

  it('gives up a change of the broker that the database never got', async () => {
    await keepConfig();
    write('one', configOf('Never acknowledged'));
    await postgres.crash();
    const keeping = keepConfig();
    active.end();
    await expect(keeping).rejects.toThrow();
    await postgres.start();
    log = await connectPageLog({ url, name: 'test', kek });
    await place('one');
    expect(read('one')).toBe(configOf('Lab'));
  });
});

describe('the active machine', () => {
  it('gives nobody a configuration that a person is still changing there', async () => {
    await keepConfig();
    write('one', '{ "team": ');
    await active.keep();
    await place('two');
    expect(read('two')).toBe(configOf('Lab'));
  });

  it('keeps what a person changed there when another one takes over', async () => {
    await keepConfig();
    await place('two');
    write('one', configOf('By hand'));
    await active.keep();
    await lapsed();
    await keepConfig('two');
    await place('one');
    expect(read('one')).toBe(configOf('By hand'));
    expect(read('two')).toBe(configOf('Lab'));
  });
});

it('a broker without a configuration takes none from the others', async () => {
  await keepConfig();
  await lapsed();
  await expect(active.keep()).rejects.toThrow('has no configuration');
  await place('one');
  expect(read('one')).toBe(configOf('Lab'));
});

describe('a machine with a configuration and without its store', () => {
  it('is refused each time it starts, unless the configuration is the one in the database', async () => {
    await keepConfig();
    rmSync(inFolder('two', 'main.db'));
    write('two', configOf('Another team'));
    for (const _ of ['first', 'second']) await expect(place('two')).rejects.toThrow('store is not here');
    expect(read('two')).toBe(configOf('Another team'));
    write('two', configOf('Lab'));
    await place('two');
  });
});

/** The second machine takes over. */
async function lapsed(): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("UPDATE muster.beat SET seen = '-infinity'");
  await client.end();
  active.end();
  active = await beginTerm('two');
}

it('gives the files again to a database that lost them', async () => {
  await keepConfig();
  write('one', configOf('Lab 2'));
  await keepConfig();
  const before = await log.filesAfter(1);
  expect(before.version).toBe(2);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DELETE FROM muster.file');
  await client.end();
  await active.keep();
  await place('two');
  expect(read('two')).toBe(configOf('Lab 2'));
  expect((await log.filesAfter(2)).version).toBe(3);
});

it('leaves no connection open when it ends while it connects', async () => {
  const line = await openLine(url);
  try {
    const held = line.hold();
    const late = createSmallFiles({
      url: line.url,
      name: 'late',
      kek,
      epoch: 1,
      configPath: inFolder('one', 'svc.json'),
    });
    const keeping = late.keep([Buffer.from(configOf('Lab'))]);
    await held.first;
    late.end();
    held.letGo();
    await expect(keeping).rejects.toThrow();
    await until(async () => (await connectionsOf('muster late')) === 0, 'its connection is closed');
  } finally {
    line.close();
  }
});

async function connectionsOf(program: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [
    program,
  ]);
  await client.end();
  return rowCount ?? 0;
}
