import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultPresets, leaves } from '#protocol/access.ts';
import { SetupRequest } from '#protocol/setup.ts';
import { hashToken } from '../security/token.ts';
import { firstConfig } from './first-config.ts';
import { openAt, readText, tempFolder } from './testing/config-fixture.ts';

const request = (more = {}) =>
  SetupRequest.parse({
    team: { name: 'Ada & co', directive: 'Ship it' },
    admin: { name: 'ada', role: { title: 'director' } },
    ...more,
  });

async function unconfigured() {
  return openAt(join(await tempFolder(), 'svc.json'));
}

describe('the first configuration', () => {
  it('has the default presets and a first member who holds all permissions through the preset admin', async () => {
    const { config } = firstConfig(request(), { filesRoot: '/f', seal: (await unconfigured()).seal });
    expect(config.team).toEqual({
      name: 'Ada & co',
      directive: 'Ship it',
      brief: '',
      permissionPresets: defaultPresets,
    });
    expect(config.store.members).toHaveLength(1);
    expect(config.store.members[0]).toMatchObject({
      name: 'ada',
      role: { title: 'director', description: '' },
      instructions: '',
      rawPermissions: ['admin'],
      permissions: leaves,
    });
  });

  it('includes the files and webPush blocks', async () => {
    const store = await unconfigured();
    const { config } = firstConfig(request(), { filesRoot: '/srv/files', seal: store.seal });
    expect(config.files).toEqual({ root: '/srv/files', maxFileSize: 104_857_600 });
    expect(store.secret(config.webPush!.vapidPrivateKey, 'webPush.vapidPrivateKey')).toMatch(/^[\w-]{43}$/);
  });

  it('returns the token and the TOTP URI in plaintext, and contains them hashed and sealed', async () => {
    const store = await unconfigured();
    const first = firstConfig(request(), { filesRoot: '/f', seal: store.seal });
    const ada = first.config.store.members[0]!;
    expect(ada.tokenHash).toBe(hashToken(first.token));
    expect(store.secret(ada.totpSecret!, 'totpSecret:ada')).toBe(first.totpSecret);
    expect(first.totpUri).toBe(
      `otpauth://totp/Ada%20%26%20co:ada?secret=${first.totpSecret}&issuer=Ada%20%26%20co`,
    );
    await store.create(first.config);
    const text = await readText(store.path);
    expect(text).not.toContain(first.token);
    expect(text).not.toContain(first.totpSecret);
  });

  it('has no TOTP secret unless it is requested', async () => {
    const first = firstConfig(request({ totp: false }), {
      filesRoot: '/f',
      seal: (await unconfigured()).seal,
    });
    expect(first).toMatchObject({ totpSecret: null, totpUri: null });
    expect(first.config.store.members[0]).not.toHaveProperty('totpSecret');
  });

  it('loads again as it was created, with nothing to migrate and no problem', async () => {
    const store = await unconfigured();
    const created = await store.create(firstConfig(request(), { filesRoot: '/f', seal: store.seal }).config);
    const again = await openAt(store.path);
    expect(again).toMatchObject({ current: created, migrated: 0, problems: [] });
  });
});
