import { rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { MemberName } from '#protocol/ids.ts';
import { SetupRequest } from '#protocol/setup.ts';
import { withChangedMember, withMembers } from './changed-config.ts';
import { openConfig } from './config-store.ts';
import { firstConfig } from './first-config.ts';
import { openKek } from './kek-file.ts';
import type { SvcConfig } from './svc-config.ts';
import {
  configFile,
  modeOf,
  openAt,
  plaintextDocument,
  readDocument,
  readText,
  secrets,
  tempFolder,
} from './testing/config-fixture.ts';

const withBrief = (brief: string) => (config: SvcConfig) => ({ ...config, team: { ...config.team, brief } });

async function refusalOf(work: Promise<unknown>): Promise<BrokerError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BrokerError);
  return error as BrokerError;
}

const request = SetupRequest.parse({
  team: { name: 'Crew' },
  admin: { name: 'ada', role: { title: 'director' } },
});

describe('creating the first configuration', () => {
  it('writes the file with mode 0600 in folders of 0700 and continues with it', async () => {
    const path = join(await tempFolder(), 'new', 'svc.json');
    const store = await openAt(path);
    const created = await store.create(firstConfig(request, { filesRoot: '/f', seal: store.seal }).config);
    expect(store.current).toBe(created);
    expect(await readDocument(path)).toEqual(created);
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(dirname(path))).toBe(0o700);
    await store.update(withBrief('on'));
    expect((await openAt(path)).current!.team.brief).toBe('on');
  });

  it('refuses if the team is already set up', async () => {
    const path = await configFile();
    const store = await openAt(path);
    const before = await readText(path);
    const first = firstConfig(request, { filesRoot: '/f', seal: store.seal });
    expect((await refusalOf(store.create(first.config))).status).toBe(409);
    expect(await readText(path)).toBe(before);
  });

  it('refuses if a file has appeared on disk in the meantime, and leaves it as it is', async () => {
    const path = join(await tempFolder(), 'svc.json');
    const store = await openAt(path);
    await writeFile(path, 'theirs');
    const first = firstConfig(request, { filesRoot: '/f', seal: store.seal });
    expect((await refusalOf(store.create(first.config))).status).toBe(409);
    expect(await readText(path)).toBe('theirs');
    expect(store.current).toBeNull();
  });

  it('lets exactly one of two at once succeed', async () => {
    const path = join(await tempFolder(), 'svc.json');
    const [one, two] = [await openAt(path), await openAt(path)];
    const outcomes = await Promise.allSettled(
      [one, one, two].map((store) =>
        store.create(firstConfig(request, { filesRoot: '/f', seal: store.seal }).config),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('refuses an invalid one and writes nothing', async () => {
    const path = join(await tempFolder(), 'svc.json');
    const store = await openAt(path);
    const { config } = firstConfig(request, { filesRoot: '/f', seal: store.seal });
    const refusal = await refusalOf(store.create({ ...config, store: { members: [] } }));
    expect(refusal.code).toBe('bad_request');
    await expect(readText(path)).rejects.toThrow('ENOENT');
  });
});

describe('updating the configuration', () => {
  it('shows a change only when it is on disk', async () => {
    const path = await configFile();
    const store = await openAt(path);
    const pending = store.update(withBrief('new'));
    expect(store.current!.team.brief).toBe('');
    expect(await pending).toBe(store.current);
    expect(await readDocument(path)).toEqual(store.current);
    expect(await modeOf(path)).toBe(0o600);
  });

  it('makes changes one after another, each of which sees those before it', async () => {
    const path = await configFile();
    const store = await openAt(path);
    const append = (config: SvcConfig) => withBrief(`${config.team.brief}x`)(config);
    await Promise.all(Array.from({ length: 20 }, () => store.update(append)));
    expect((await readDocument(path)).team.brief).toBe('x'.repeat(20));
  });

  it('writes changes that wait together at once, and refuses one among them alone', async () => {
    const path = await configFile();
    const store = await openAt(path);
    const told: string[] = [];
    store.onWritten(async ({ config }) => void told.push(config.team.brief));
    const append = (sign: string) => store.update((config) => withBrief(config.team.brief + sign)(config));
    const outcomes = await Promise.allSettled([
      append('a'),
      append('b'),
      store.update((config) => withMembers(config, [])),
      append('c'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(told).toEqual(['a', 'ab', 'abc']);
    expect((await readDocument(path)).team.brief).toBe('abc');
  });

  it('shares what is unchanged with the configuration before, and lets nobody alter it', async () => {
    const store = await openAt(await configFile());
    const before = store.current!;
    await store.update((config) =>
      withChangedMember(config, 'bob', (bob) => ({ ...bob, instructions: 'x' })),
    );
    const [ada, bob] = store.current!.store.members;
    expect(ada).toBe(before.store.members[0]);
    for (const fixed of [store.current!, before.store.members[0]!, bob!, bob!.role, store.current!.team])
      expect(() => Object.assign(fixed, { name: 'other' })).toThrow(TypeError);
  });

  it('takes everything back that could not be written, also the names of the members', async () => {
    // The name of the file leaves no room for the suffix of a temporary file.
    const path = join(await tempFolder(), 'c'.repeat(245));
    const kek = await openKek({ configPath: join(await tempFolder(), 'svc.json'), env: {} });
    const document = plaintextDocument();
    delete document.store.members[0].token;
    delete document.store.members[0].totpSecret;
    await writeFile(path, JSON.stringify({ ...document, webPush: undefined }), { mode: 0o600 });
    const store = await openConfig({ path, kek });
    const { current } = store;
    const [, bob] = current!.store.members;
    const without = store.update((config) => withMembers(config, config.store.members.slice(0, 1)));
    expect((await refusalOf(without)).reason).toBe('configuration_unwritable');
    expect(store.current).toBe(current);
    const eve = { ...bob!, name: MemberName.parse('eve') };
    const joining = () => store.update((config) => withMembers(config, [...config.store.members, eve]));
    for (let tries = 0; tries < 2; tries++)
      expect((await refusalOf(joining())).reason).toBe('configuration_unwritable');
    const namesake = { ...bob!, name: MemberName.parse('BOB') };
    const twice = store.update((config) => withMembers(config, [...config.store.members, namesake]));
    expect((await refusalOf(twice)).message).toContain(
      'store.members[2].name: is also the name of store.members[1]',
    );
  });

  it.each([
    ['name', { name: MemberName.parse('ADA'), tokenHash: undefined }],
    ['tokenHash', {}],
  ])('refuses a second member with the %s of another', async (field, own) => {
    const store = await openAt(await configFile());
    const twin = { ...store.current!.store.members[0]!, name: MemberName.parse('eve'), ...own };
    const adding = store.update((config) => withMembers(config, [...config.store.members, twin]));
    expect((await refusalOf(adding)).message).toContain(`store.members[2].${field}: is also`);
    await store.update((config) =>
      withChangedMember(config, 'bob', () => ({
        ...twin,
        name: MemberName.parse('bob'),
        tokenHash: undefined,
      })),
    );
  });

  it('keeps unknown keys', async () => {
    const document = plaintextDocument();
    document.note = 'mine';
    document.store.members[0].note = 'hers';
    const path = await configFile(document);
    await (await openAt(path)).update(withBrief('new'));
    expect(await readDocument(path)).toMatchObject({
      note: 'mine',
      store: { members: [{ note: 'hers' }, {}] },
    });
  });

  it('resolves permissions again, so that a changed preset acts at once', async () => {
    const store = await openAt(await configFile());
    await store.update(({ team, ...config }) => ({
      ...config,
      team: { ...team, permissionPresets: { ...team.permissionPresets, none: ['objectives.watch'] } },
    }));
    expect(store.current!.store.members[1]!.permissions).toEqual(['objectives.watch', 'activity.read']);
  });

  it('leaves everything as it was if the change throws', async () => {
    const path = await configFile();
    const store = await openAt(path);
    const { current } = store;
    const before = await readText(path);
    await expect(
      store.update(() => {
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(store.current).toBe(current);
    expect(current!.team.brief).toBe('');
    expect(await readText(path)).toBe(before);
    await store.update(withBrief('next'));
    expect(store.current!.team.brief).toBe('next');
  });

  it('refuses an invalid result with 400 and the path', async () => {
    const path = await configFile();
    const store = await openAt(path);
    const before = await readText(path);
    const refusal = await refusalOf(store.update((config) => ({ ...config, store: { members: [] } })));
    expect(refusal.status).toBe(400);
    expect(refusal.message).toContain('store.members: at least one member must hold members.manage');
    expect(await readText(path)).toBe(before);
  });

  it('never writes a plaintext secret that a change brought in', async () => {
    const path = await configFile({ ...plaintextDocument(), webPush: undefined });
    const store = await openAt(path);
    const token = secrets.vapid.privateKey.replace(/^/, 'svc_');
    await store.update((config) => withChangedMember(config, 'bob', (bob) => ({ ...bob, token })));
    expect(await readText(path)).not.toContain(secrets.vapid.privateKey);
    expect(store.current!.store.members[1]!.tokenHash).toMatch(/^sha256:/);
  });

  it('refuses while the broker is not set up', async () => {
    const store = await openAt(join(await tempFolder(), 'svc.json'));
    expect((await refusalOf(store.update(withBrief('x')))).status).toBe(503);
  });
});

describe('a file that changed on disk after it was loaded makes writes answer 503 until a restart', () => {
  it.each([
    ['changed', (path: string) => writeFile(path, '{}')],
    ['removed', (path: string) => rm(path)],
  ])('%s', async (_, touch) => {
    const path = await configFile();
    const store = await openAt(path);
    const ours = await readText(path);
    await touch(path);
    const refusal = await refusalOf(store.update(withBrief('x')));
    expect(refusal.status).toBe(503);
    expect(refusal.message).toContain('restart the broker');
    expect(store.current!.team.brief).toBe('');
    await writeFile(path, ours);
    expect((await refusalOf(store.update(withBrief('x')))).status).toBe(503);
    const restarted = await openAt(path);
    await restarted.update(withBrief('x'));
    expect(restarted.current!.team.brief).toBe('x');
  });

  it('but not if only its times changed', async () => {
    const path = await configFile();
    const store = await openAt(path);
    await utimes(path, 1_000_000, 1_000_000);
    await store.update(withBrief('x'));
    expect((await readDocument(path)).team.brief).toBe('x');
  });
});

describe('a wrong key is reported per field and destroys no envelope', () => {
  it('after the key file was lost', async () => {
    const path = await configFile();
    await openAt(path);
    const before = await readText(path);
    await rm(`${path}.kek`);
    const store = await openAt(path);
    expect(store.problems.map(({ field }) => field)).toEqual(['totpSecret:ada', 'webPush.vapidPrivateKey']);
    expect(store.problems[0]!.message).toContain('enroll TOTP again for "ada"');
    expect(store.problems[1]!.message).toContain('muster setup --new-vapid');
    const ada = store.current!.store.members[0]!;
    expect(store.secret(ada.totpSecret!, 'totpSecret:ada')).toBeNull();
    expect(ada.tokenHash).toMatch(/^sha256:/);
    expect(await readText(path)).toBe(before);

    await store.update(withBrief('x'));
    expect((await readDocument(path)).store.members[0].totpSecret).toEqual(
      JSON.parse(before).store.members[0].totpSecret,
    );

    const totpSecret = store.seal('JBSWY3DPEHPK3PXP', 'totpSecret:ada');
    await store.update((config) => withChangedMember(config, 'ada', (known) => ({ ...known, totpSecret })));
    expect(store.problems.map(({ field }) => field)).toEqual(['webPush.vapidPrivateKey']);
  });

  it('also for an envelope of a later version, or one that was moved from another member', async () => {
    const path = await configFile();
    const store = await openAt(path);
    await store.update((config) => {
      const { totpSecret } = config.store.members[0]!;
      const webPush = config.webPush!;
      const vapidPrivateKey = { ...webPush.vapidPrivateKey, v: 2 };
      return {
        ...withChangedMember(config, 'bob', (bob) => ({ ...bob, totpSecret })),
        webPush: { ...webPush, vapidPrivateKey },
      };
    });
    expect((await openAt(path)).problems.map(({ field }) => field)).toEqual([
      'totpSecret:bob',
      'webPush.vapidPrivateKey',
    ]);
  });
});

it('reads relative paths of the file from its folder', async () => {
  const store = await openAt(await configFile());
  expect(store.resolvePath('files')).toBe(join(dirname(store.path), 'files'));
  expect(store.resolvePath('/srv/files')).toBe('/srv/files');
});
