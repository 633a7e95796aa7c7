/**
 * The process ends between the two writes of a change, so that only the configuration or only the store has
 * its half.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#protocol/audit.ts';
import { withChangedMember } from './config/changed-config.ts';
import { type ConfigStore, openConfig } from './config/config-store.ts';
import { openKek } from './config/kek-file.ts';
import type { SvcConfig } from './config/svc-config.ts';
import type { MemberUnits } from './features/members/members.sqlite.ts';
import type { TokenRow } from './features/tokens/tokens.rules.ts';
import type { TokenUnits } from './features/tokens/tokens.sqlite.ts';
import { createLog } from './runtime/log.ts';
import { hashToken, mintToken } from './security/token.ts';
import { openStore } from './storage/store-host.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

let team: TestBroker;
const phone = mintToken();

beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
  // As device enrollment leaves it.
  await between(async (units) => {
    await units.changeTokens({ remove: [], insert: [row('ben', phone, 'enroll')] });
  });
});
afterEach(() => team.stop());

const row = (member: string, plaintext: string, origin: TokenRow['origin']): TokenRow => ({
  id: crypto.randomUUID(),
  member,
  hash: hashToken(plaintext),
  label: 'half',
  origin,
  createdAt: 1,
  createdBy: 'ada',
  lastUsedAt: null,
  expiresAt: null,
});

/**
 * Stops the broker, lets `work` write what a broker would have written until it was interrupted, and starts
 * again.
 */
async function between(
  work: (units: MemberUnits & TokenUnits, config: ConfigStore) => Promise<void>,
  sql = '',
): Promise<void> {
  await team.broker.close();
  const db = new DatabaseSync(join(team.folder, 'main.db'));
  db.exec(sql);
  db.close();
  const { configPath } = team;
  const config = await openConfig({ path: configPath, kek: await openKek({ configPath, env: {} }) });
  const store = await openStore<MemberUnits & TokenUnits>({
    store: 'main',
    file: join(team.folder, 'main.db'),
    threadModule: new URL('./store-thread.ts', import.meta.url),
    log: createLog({ destination: { write: () => undefined } }),
  });
  await work(store.units, config);
  await store.close();
  await team.restart();
}

const dropping: AuditEntry = {
  ...{ at: 5, kind: 'held_dropped', via: 'request', member: 'ada', credential: null, address: null },
  ...{ subject: null, before: null, after: null },
};

/** Ends the broker first, because another SQLite in the same process would drop its locks. */
async function rowsAtRest(sql: string): Promise<unknown[]> {
  await team.broker.close();
  const db = new DatabaseSync(join(team.folder, 'main.db'), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const without = (name: string) => (config: SvcConfig) => ({
  ...config,
  store: { ...config.store, members: config.store.members.filter((member) => member.name !== name) },
});
const withHash = (name: string, tokenHash: string) => (config: SvcConfig) =>
  withChangedMember(config, name, (member) => ({ ...member, tokenHash }));
const status = async (token: string) =>
  (await fetch(`${team.url}/roster`, { headers: { authorization: `Bearer ${token}` } })).status;
const listed = async (name: string) =>
  (await team.as('ada').call('tokens', { params: { name } })).tokens.map(({ origin }) => origin);
const json = { 'content-type': 'application/json' };
const create = (name: string) =>
  team.fetch('ada', '/members', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name, role: { title: 'x' }, permissions: [] }),
  });

describe('a removal that was interrupted', () => {
  const removal = { name: 'ben', at: 5, by: 'ada' };

  it('before the configuration was written did not happen', async () => {
    await between((units) => units.beginRemoval(removal));
    expect(await status(team.token('ben'))).toBe(200);
    expect(await status(phone)).toBe(200);
    expect(
      (await team.fetch('ada', '/members/ben', { method: 'PATCH', headers: json, body: '{}' })).status,
    ).toBe(200);
    expect(await rowsAtRest('SELECT * FROM retired_name')).toEqual([]);
  });

  it('after the configuration was written is completed at the next start', async () => {
    await team.as('ben').call('roster', {});
    await between(async (units, config) => {
      await units.beginRemoval(removal);
      await config.update(without('ben'));
    });
    expect(await status(team.token('ben'))).toBe(401);
    expect(await status(phone)).toBe(401);
    expect((await create('BEN')).status).toBe(409);
    for (const table of ['token', 'session', 'totp_step', 'push_subscription', 'member_state']) {
      expect(await rowsAtRest(`SELECT * FROM ${table} WHERE member = 'ben'`), table).toEqual([]);
    }
    const settled = 'SELECT name, retired_by FROM retired_name WHERE settled_at IS NOT NULL';
    expect(await rowsAtRest(settled)).toEqual([{ name: 'ben', retired_by: 'ada' }]);
  });

  it('cannot lose the name when the process ends again during the completion', async () => {
    await between(async (units, config) => {
      await units.beginRemoval(removal);
      await config.update(without('ben'));
      await units.completeRemoval({ ...removal, dropping });
      await units.completeRemoval({ ...removal, dropping });
      await units.cancelRemoval('ben');
    });
    expect((await create('ben')).status).toBe(409);
  });
});

describe('a creation that was interrupted', () => {
  it('before the configuration was written did not happen, and can be requested again', async () => {
    const token = mintToken();
    await between(async (units) => {
      await units.claimName({ name: 'eve', at: 5, by: 'ada', token: row('eve', token, 'create'), dropping });
    });
    expect(await status(token)).toBe(401);
    expect((await create('eve')).status).toBe(201);
    expect(await listed('eve')).toEqual(['create']);
    expect(await status(token)).toBe(401);
  });
});

describe('a rotation that was interrupted', () => {
  it('before the configuration was written did not happen: every token of the member still works', async () => {
    const fresh = mintToken();
    await between(async (units) => void (await units.beginRotation(row('ben', fresh, 'rotate'))));
    expect(await status(fresh)).toBe(401);
    expect(await status(team.token('ben'))).toBe(200);
    expect(await status(phone)).toBe(200);
    expect((await listed('ben')).sort()).toEqual(['bootstrap', 'enroll']);
  });

  it('after the configuration was written has ended every other token, enrolled ones included', async () => {
    const fresh = mintToken();
    await between(async (units, config) => {
      await units.beginRotation(row('ben', fresh, 'rotate'));
      await config.update(withHash('ben', hashToken(fresh)));
    });
    expect(await status(fresh)).toBe(200);
    expect(await status(team.token('ben'))).toBe(401);
    expect(await status(phone)).toBe(401);
    expect(await listed('ben')).toEqual(['rotate']);
  });
});

describe('a revocation of the primary token that was interrupted', () => {
  it('after the configuration was written is completed at the next start, and its replacement is not listed', async () => {
    await between(async (_, config) => {
      const nobodys = hashToken(mintToken());
      await config.update((current) =>
        withChangedMember(current, 'ben', (ben) => ({
          ...ben,
          tokenHash: nobodys,
          revokedTokenHash: nobodys,
        })),
      );
    });
    expect(await status(team.token('ben'))).toBe(401);
    expect(await status(phone)).toBe(200);
    expect(await listed('ben')).toEqual(['enroll']);
  });
});

describe('a member who was removed from the file by hand', () => {
  it('leaves nothing to a new member of the same name', async () => {
    await team.as('ben').call('roster', {});
    await between(
      (_, config) => config.update(without('ben')).then(() => undefined),
      `INSERT INTO push_subscription (id, member, endpoint, p256dh, auth, created_at)
       VALUES ('1', 'ben', 'https://push', '', '', 1)`,
    );
    expect((await create('ben')).status).toBe(201);
    const { connected } = await team.as('ada').call('roster', {});
    expect(connected.find(({ name }) => name === 'ben')?.lastSeen).toBeNull();
    expect(await status(phone)).toBe(401);
    expect(await rowsAtRest('SELECT * FROM push_subscription')).toEqual([]);
  });
});

describe('a change that cannot be written to the configuration', () => {
  it('answers 503 and leaves nothing behind, in the broker or after a restart', async () => {
    const before = await readFile(team.configPath, 'utf8');
    await writeFile(team.configPath, `${before}\n`);
    const refused = await Promise.all([
      create('eve'),
      team.fetch('ada', '/members/ben', { method: 'DELETE' }),
      team.fetch('ada', '/members/ben', { method: 'PATCH', headers: json, body: '{"instructions":"x"}' }),
      team.fetch('ben', '/members/ben/rotate-token', { method: 'POST' }),
      team.fetch('ben', '/members/ben/enroll-totp', { method: 'POST' }),
      team.fetch('ada', '/team', { method: 'PATCH', headers: json, body: '{"brief":"x"}' }),
    ]);
    expect(refused.map((reply) => reply.status)).toEqual([503, 503, 503, 503, 503, 503]);
    for (let round = 0; round < 2; round++) {
      expect(await status(team.token('ben'))).toBe(200);
      expect(await status(phone)).toBe(200);
      expect((await listed('ben')).sort()).toEqual(['bootstrap', 'enroll']);
      await team.restart();
    }
    expect((await create('eve')).status).toBe(201);
    expect((await team.fetch('ada', '/members/ben', { method: 'DELETE' })).status).toBe(204);
  });
});
