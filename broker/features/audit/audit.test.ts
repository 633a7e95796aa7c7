import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '#protocol/audit.ts';
import { emptyAuditHead } from '#protocol/audit.ts';
import type { SvcConfig } from '../../config/svc-config.ts';
import { createLog } from '../../runtime/log.ts';
import { continueChain } from '../../security/audit-chain.ts';
import { changeStore } from '../../testing/store-rows.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  logInWith,
  postJson,
  withCookie,
  wrongCode,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { createAudit } from './audit.service.ts';
import type { AuditUnits } from './audit.sqlite.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const ada = () => team.as('ada');
/** The whole log, oldest first. */
async function log(): Promise<AuditRecord[]> {
  return (await ada().call('audit', { query: { after: '0', limit: '500' } })).records;
}
const kinds = async () => (await log()).map(({ kind }) => kind);
const newest = async (): Promise<AuditRecord> => {
  const [record] = (await ada().call('audit', { query: { limit: '1' } })).records;
  return record!;
};

describe('the audit log', () => {
  it('begins with the members of the first start', async () => {
    expect(await log()).toEqual([
      expect.objectContaining({
        seq: 1,
        kind: 'audit_started',
        via: 'file',
        member: null,
        after: { members: ['ada', 'ben', 'cy'], managers: ['ada'] },
        previous: emptyAuditHead.hash,
      }),
    ]);
  });

  it('says who changed permissions, with which credential, from where, before and after', async () => {
    await ada().call('updateMember', { params: { name: 'ben' }, body: { permissions: ['operator'] } });
    const [token] = (await ada().call('tokens', { params: { name: 'ada' } })).tokens;
    expect(await newest()).toMatchObject({
      kind: 'permissions_changed',
      via: 'request',
      member: 'ada',
      credential: { plane: 'bearer', id: token!.id },
      address: '127.0.0.1',
      subject: 'ben',
      before: { entries: [], permissions: [] },
      after: { entries: ['operator'], permissions: expect.arrayContaining(['objectives.create']) },
    });
  });

  it('has the life of a member and of its tokens', async () => {
    const { token } = await ada().call('createMember', {
      body: { name: 'gil', role: { title: 'New' }, permissions: [] },
    });
    const params = { name: 'gil' };
    await ada().call('updateMember', { params, body: { instructions: 'Be brief' } });
    await ada().call('createRunToken', { params, body: { label: 'laptop' } });
    const [, ofRun] = (await ada().call('tokens', { params })).tokens;
    await ada().call('revokeToken', { params: { name: 'gil', id: ofRun!.id } });
    await ada().call('enrollTotp', { params });
    const rotated = await ada().call('rotateToken', { params });
    await ada().call('revokeToken', { params: { name: 'gil', id: rotated.tokenInfo.id } });
    await ada().call('deleteMember', { params });
    const records = (await log()).slice(1);
    expect(records.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['member_created', 'gil'],
      ['member_changed', 'gil'],
      ['token_created', 'gil'],
      ['token_revoked', 'gil'],
      ['totp_bound', 'gil'],
      ['token_rotated', 'gil'],
      ['token_revoked', 'gil'],
      ['member_removed', 'gil'],
    ]);
    expect(records[1]).toMatchObject({
      before: { instructions: '' },
      after: { instructions: 'Be brief' },
    });
    expect(records[3]?.before).toEqual({ tokenId: ofRun!.id, origin: 'run', label: 'laptop' });
    const text = JSON.stringify(records);
    for (const secret of [token, rotated.token]) expect(text).not.toContain(secret);
  });

  it('has changes of the team and of presets', async () => {
    await ada()
      .call('updateTeam', { body: { directive: 'Ship it', permissionPresets: { lead: [] } } })
      .catch(() => undefined);
    await ada().call('updateTeam', { body: { directive: 'Ship it' } });
    expect(await newest()).toMatchObject({
      kind: 'team_changed',
      subject: null,
      before: { directive: 'Prove it' },
      after: { directive: 'Ship it' },
    });
  });

  it('has no record of a change that was refused', async () => {
    await expect(
      ada().call('updateMember', { params: { name: 'ada' }, body: { permissions: [] } }),
    ).rejects.toMatchObject({ reason: 'last_manager' });
    expect(await kinds()).toEqual(['audit_started']);
  });

  it('has how a device was approved and rejected', async () => {
    const ask = async () => {
      const reply = await team.fetch(null, '/enroll', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"labelHint":"laptop"}',
      });
      return ((await reply.json()) as { userCode: string }).userCode;
    };
    await ada().call('approveEnrollment', {
      body: { userCode: await ask(), mode: 'bind', memberName: 'ben' },
    });
    expect(await newest()).toMatchObject({
      kind: 'device_approved',
      member: 'ada',
      subject: 'ben',
      after: { mode: 'bind', label: 'laptop', tokenId: expect.any(String) },
    });
    const userCode = await ask();
    await ada().call('rejectEnrollment', { body: { userCode, reason: 'unknown' } });
    expect(await newest()).toMatchObject({
      kind: 'device_rejected',
      subject: userCode,
      after: { reason: 'unknown' },
    });
  });

  it('finds at a start what was changed in the file by hand', async () => {
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    config.store.members.find(({ name }: { name: string }) => name === 'cy').rawPermissions = ['admin'];
    config.listen = { hosts: ['evil.example'] };
    await writeFile(team.configPath, JSON.stringify(config));
    await team.restart();
    const [, ...found] = await log();
    expect(found).toMatchObject([
      {
        kind: 'permissions_changed',
        via: 'file',
        member: null,
        subject: 'cy',
        after: { entries: ['admin'] },
      },
      {
        kind: 'network_changed',
        via: 'file',
        before: { 'listen.hosts': null },
        after: { 'listen.hosts': ['evil.example'] },
      },
    ]);
    await team.restart();
    expect(await log()).toHaveLength(3);
  });

  it('finds at a start that the configuration names other stores, and has nothing else of that block', async () => {
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    const name = async (stores: Record<string, string>) => {
      await writeFile(team.configPath, JSON.stringify({ ...config, stores }));
      await team.restart();
    };
    await name({ main: 'main.db', activity: 'activity.db', password: 'secret' });
    await name({ main: 'main.db', activity: 'logs/activity.db', password: 'changed' });
    expect((await log()).slice(1)).toMatchObject([
      {
        kind: 'configuration_changed',
        via: 'file',
        before: { 'stores.main': null, 'stores.activity': null },
        after: { 'stores.main': 'main.db', 'stores.activity': 'activity.db' },
      },
      { before: { 'stores.activity': 'activity.db' }, after: { 'stores.activity': 'logs/activity.db' } },
    ]);
    expect(JSON.stringify(await log())).not.toContain('password');
  });

  it('finds at a start a platform that was planted beside the configuration', async () => {
    const jwt = {
      issuer: 'https://evil.example',
      audience: `team:${crypto.randomUUID()}`,
      jwksUrl: 'https://evil.example/keys',
    };
    await team.broker.close();
    await writeFile(`${team.configPath}.platform.json`, JSON.stringify({ jwt }));
    await team.restart();
    expect(await newest()).toMatchObject({
      kind: 'configuration_changed',
      via: 'file',
      before: { 'platform.issuer': null },
      after: { 'platform.issuer': 'https://evil.example', 'platform.jwksUrl': 'https://evil.example/keys' },
    });
  });

  it('is for managers', async () => {
    expect((await team.fetch('cy', '/audit')).status).toBe(403);
  });
});

it('records of a change only what it concerns, however many members there are', async () => {
  const recorded: Parameters<AuditUnits['auditConfiguration']>[0][] = [];
  const units = { auditConfiguration: async (state) => void recorded.push(state) } as Partial<AuditUnits>;
  const members = JSON.parse(await readFile(team.configPath, 'utf8')).store.members;
  const config = { team: { permissionPresets: {} }, store: { members } } as SvcConfig;
  const configured = () => ({ config, platform: null });
  const audit = createAudit({
    configured,
    units: units as AuditUnits,
    clock: Date.now,
    log: createLog({ level: 'silent' }),
  });
  const [one, two] = members;
  await audit.onConfigurationWritten({ config, members: { left: [one, two], entered: [two] } });
  expect(recorded).toMatchObject([{ touched: [one.name, two.name] }]);
  expect(Object.keys(recorded[0]!.configuration.memberByName)).toEqual([two.name]);
});

describe('the chain of the audit log', () => {
  async function fill(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await ada().call('updateTeam', { body: { brief: `brief ${i}` } });
  }

  it('continues over a restart', async () => {
    await fill(2);
    await team.restart();
    await fill(2);
    const records = await log();
    expect(continueChain(emptyAuditHead, records)).toEqual({ seq: 5, hash: records[4]!.hash });
  });

  it('breaks at a record that was changed, and at one that is missing', async () => {
    await fill(3);
    const records = await log();
    const changed = records.map((record) => (record.seq === 3 ? { ...record, member: 'ben' } : record));
    expect(continueChain(emptyAuditHead, changed)).toEqual({ seq: 3, fault: 'record 3 was changed' });
    const short = records.filter(({ seq }) => seq !== 2);
    expect(continueChain(emptyAuditHead, short)).toEqual({ seq: 3, fault: 'record 2 is missing' });
  });

  it('cannot be changed or cut off in the store by a statement', async () => {
    await fill(2);
    await team.broker.close();
    const change = (sql: string) => () => changeStore(join(team.folder, 'main.db'), sql);
    expect(change("UPDATE audit SET member = 'ben' WHERE seq = 2")).toThrow(/not changed/);
    expect(change('DELETE FROM audit WHERE seq = 3')).toThrow(/up to its floor/);
    await team.restart();
    expect(await kinds()).toHaveLength(3);
  });
});

describe('GET /audit', () => {
  it('reads page after page in both directions, and by filter', async () => {
    for (let i = 0; i < 4; i++) await ada().call('updateTeam', { body: { brief: `brief ${i}` } });
    const first = await ada().call('audit', { query: { limit: '2' } });
    expect(first.records.map(({ seq }) => seq)).toEqual([5, 4]);
    const second = await ada().call('audit', { query: { limit: '2', before: String(first.next) } });
    expect(second.records.map(({ seq }) => seq)).toEqual([3, 2]);
    const last = await ada().call('audit', { query: { limit: '2', before: String(second.next) } });
    expect(last).toMatchObject({
      records: [{ seq: 1 }],
      next: null,
      first: emptyAuditHead,
      head: { seq: 5 },
    });
    const since = String(first.records[1]!.at);
    const found = await ada().call('audit', {
      query: { after: '0', kind: 'team_changed', member: 'ada', since },
    });
    expect(found.records.length).toBeGreaterThanOrEqual(2);
    expect((await ada().call('audit', { query: { member: 'ben' } })).records).toEqual([]);
    expect((await team.fetch('ada', '/audit?before=1&after=1')).status).toBe(400);
  });
});

describe('sessions in the audit log', () => {
  it('are opened, ended by others, and logged out, by a session that has an id', async () => {
    const secret = await bindAuthenticator(team, 'ben', 'ada');
    const first = cookieOf(await logInWith(team, codeAt(secret, Date.now()), 'ben'));
    const login = await newest();
    expect(login).toMatchObject({
      kind: 'login',
      member: 'ben',
      credential: { plane: 'session', id: expect.any(String) },
      subject: 'ben',
      after: { device: expect.any(String), bound: false },
    });
    await withCookie(team, first, '/session/logout', { method: 'POST' });
    expect(await newest()).toMatchObject({
      kind: 'logout',
      member: 'ben',
      before: { sessions: [login.credential!.id] },
    });
    const second = await logInWith(team, codeAt(secret, Date.now() + 30_000), 'ben');
    expect(second.status).toBe(200);
    await ada().call('rotateToken', { params: { name: 'ben' } });
    expect((await log()).slice(-2)).toMatchObject([
      { kind: 'session_ended', member: 'ada', subject: 'ben' },
      { kind: 'token_rotated', member: 'ada', subject: 'ben' },
    ]);
    expect(JSON.stringify(await log())).not.toContain(first.split('=')[1]);
  });

  it('leave a record when only known devices are forgotten, and none when there is nothing to end', async () => {
    const secret = await bindAuthenticator(team, 'ben');
    const login = { code: codeAt(secret, Date.now()), member: 'ben', remember: true };
    const cookie = cookieOf(await postJson(team, '/session/totp', login));
    await withCookie(team, cookie, '/session/logout', { method: 'POST' });
    const { seq } = await newest();
    const endAll = () => team.fetch('ada', '/sessions?member=ben', { method: 'DELETE' });
    expect((await endAll()).status).toBe(204);
    expect(await newest()).toMatchObject({
      seq: seq + 1,
      kind: 'session_ended',
      member: 'ada',
      subject: 'ben',
      before: { knownDevices: 1 },
    });
    expect((await endAll()).status).toBe(204);
    expect((await newest()).seq).toBe(seq + 1);
  });

  it('that fail are counted by member and address, and written when the broker ends', async () => {
    const secret = await bindAuthenticator(team, 'ben');
    const wrong = wrongCode([secret], Date.now());
    for (let i = 0; i < 3; i++) await logInWith(team, wrong, 'ben');
    await logInWith(team, wrong, 'nobody-by-that-name');
    await team.restart();
    const failed = (await log()).filter(({ kind }) => kind === 'login_failed');
    expect(failed).toMatchObject([
      { subject: 'ben', address: '127.0.0.1', member: null, after: { count: 3 } },
      { subject: null, address: '127.0.0.1', after: { count: 1 } },
    ]);
    expect(JSON.stringify(failed)).not.toContain('nobody');
  });
});
