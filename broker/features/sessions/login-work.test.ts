import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MemberName } from '#protocol/ids.ts';
import { totpField } from '../../config/admit-config.ts';
import { type ConfigStore, openConfig } from '../../config/config-store.ts';
import { openKek } from '../../config/kek-file.ts';
import type { ConfigMember } from '../../config/svc-config.ts';
import { createExpiries } from '../../runtime/expiries.ts';
import { mintTotpSecret } from '../../security/totp.ts';
import { openStore } from '../../storage/store-host.ts';
import { keptLog, testFolder } from '../../storage/testing/test-store.ts';
import { type AuditUnits, testAudit } from '../../testing/test-audit.ts';
import { codeAt, wrongCode } from '../../testing/test-authenticator.ts';
import { createKnownDevices } from './known-devices.service.ts';
import type { KnownDeviceUnits } from './known-devices.sqlite.ts';
import { createLogin, type Login } from './login.service.ts';
import { createLoginKnocks } from './login-knocks.ts';
import { createLoginLinks } from './login-links.service.ts';
import { createLoginReserves } from './login-reserves.ts';
import { createSessions } from './sessions.service.ts';
import type { SessionUnits } from './sessions.sqlite.ts';

const now = 1_800_000_000_000;
const clock = () => now;
const nothing = () => undefined;
const from = {
  userAgent: undefined,
  address: '127.0.0.1',
  source: '127.0.0.1',
  network: '127.0.0.1',
  place: { scheme: 'http' as const, port: 80 },
  deviceCookie: null,
  bearer: null,
  isLocal: true,
};

/** A login with a real configuration and store; `opened` counts the envelopes that were opened. */
async function loginFor(
  enrolled: (seal: ConfigStore['seal']) => Record<string, ConfigMember['totpSecret']>,
): Promise<{ login: Login; opened: () => number }> {
  const folder = await testFolder();
  const path = join(folder, 'svc.json');
  const config = await openConfig({ path, kek: await openKek({ configPath: path, env: {} }) });
  const members = Object.entries(enrolled(config.seal)).map(([name, totpSecret]) => ({
    name: name as MemberName,
    role: { title: 'x', description: '' },
    instructions: '',
    rawPermissions: ['members.manage'],
    permissions: [],
    totpSecret,
  }));
  const team = { name: 'T', directive: '', brief: '', permissionPresets: {} };
  await config.create({ team, store: { members } });
  const { log } = keptLog();
  const store = await openStore<SessionUnits & KnownDeviceUnits & AuditUnits>({
    store: 'main',
    file: ':memory:',
    threadModule: new URL('../../store-thread.ts', import.meta.url),
    log,
  });
  const expiries = createExpiries(clock);
  onTestFinished(() => store.close().then(expiries.stop));

  let opened = 0;
  const secret: ConfigStore['secret'] = (envelope, field) => {
    opened += 1;
    return config.secret(envelope, field);
  };
  const counted: ConfigStore = Object.create(config, { secret: { value: secret } });
  const { units } = store;
  const all = () => config.current?.store.members ?? [];
  const directory = { all, find: (name: string) => all().find((member) => member.name === name) };
  const deps = { units, clock, members: directory };
  const devices = createKnownDevices(deps);
  const ended = { expiries, onEnded: nothing, onWriteDeferred: nothing };
  const audit = testAudit(units, clock, log);
  const sessions = createSessions({ ...deps, ...ended, devices, audit });
  const knocks = createLoginKnocks(clock, log);
  const parts = {
    ...deps,
    ...ended,
    config: counted,
    sessions,
    bearerOwner: () => null,
    devices,
    knocks,
    reserves: createLoginReserves(clock),
    links: createLoginLinks(deps.clock, () => true),
    audit,
  };
  return { login: createLogin(parts), opened: () => opened };
}

describe('a login without a member', () => {
  it('takes the same work wherever a match is and whether there is one; with a member, the same for any name', async () => {
    const secrets = Array.from({ length: 6 }, mintTotpSecret);
    const { login, opened } = await loginFor((seal) => ({
      ...Object.fromEntries(secrets.map((secret, i) => [`m${i}`, seal(secret, totpField(`m${i}`))])),
      dead: seal(mintTotpSecret(), 'another field'),
      none: undefined,
    }));
    const workOf = async (code: string, member?: string): Promise<[boolean, number]> => {
      const before = opened();
      const attempt = login.logIn({ code, member }, from);
      const isIn = await attempt.then(
        () => true,
        () => false,
      );
      return [isIn, opened() - before];
    };
    const code = (i: number) => codeAt(secrets[i] ?? '', now);
    const wrong = wrongCode(secrets, now);
    expect(await workOf(code(0))).toEqual([true, 7]);
    expect(await workOf(code(5))).toEqual([true, 7]);
    expect(await workOf(code(1), 'm1')).toEqual([true, 1]);
    for (const name of ['m1', 'none', 'dead', 'nobody'])
      expect(await workOf(wrong, name)).toEqual([false, 1]);
    expect(await workOf(wrong)).toEqual([false, 7]);
  });

  it('opens no session if the code fits two members', async () => {
    const secret = mintTotpSecret();
    const { login } = await loginFor((seal) => ({
      one: seal(secret, totpField('one')),
      two: seal(secret, totpField('two')),
    }));
    const code = codeAt(secret, now);
    await expect(login.logIn({ code }, from)).rejects.toMatchObject({ code: 'unauthenticated' });
    const { session } = await login.logIn({ code, member: 'two' }, from);
    expect(session.member).toBe('two');
  });
});
