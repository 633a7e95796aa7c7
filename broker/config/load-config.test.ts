import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartUpError } from '../runtime/start-up-error.ts';
import { hashToken, mintToken } from '../security/token.ts';
import { mintTotpSecret } from '../security/totp.ts';
import {
  configFile,
  modeOf,
  openAt,
  plaintextDocument,
  readDocument,
  secrets,
  tempFolder,
} from './testing/config-fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break the document at any place
type Break = (document: any) => void;

const allSecrets = [secrets.token, secrets.totpSecret, secrets.vapid.privateKey];

/**
 * Returns the sentence with which the start stops, after checking that the file was left as it is and that
 * the sentence contains no secret.
 */
async function stopOf(path: string): Promise<string> {
  await utimes(path, 1_000_000, 1_000_000);
  const before = await readFile(path);
  const error = await openAt(path).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartUpError);
  const { message, exitCode } = error as StartUpError;
  expect(exitCode).toBe(78);
  expect(message).toContain(path);
  for (const secret of allSecrets) expect(message).not.toContain(secret);
  expect(await readFile(path)).toEqual(before);
  expect((await stat(path)).mtimeMs).toBe(1_000_000_000);
  expect((await readdir(dirname(path))).sort()).toEqual(['svc.json']);
  return message;
}

const member = (index: number) => `store.members[${index}]`;
const invalid: [string, Break, string][] = [
  ['no team', (d) => delete d.team, 'team: is missing'],
  ['no store', (d) => delete d.store, 'store: is missing'],
  ['a team without a name', (d) => delete d.team.name, 'team.name: is missing'],
  ['an empty team name', (d) => (d.team.name = ''), 'team.name: must be 1 to 64 characters'],
  [
    'a directive too long',
    (d) => (d.team.directive = 'x'.repeat(2049)),
    'team.directive: must be at most 2048',
  ],
  ['a brief too long', (d) => (d.team.brief = 'x'.repeat(16_385)), 'team.brief: must be at most 16384'],
  [
    'a preset in a preset',
    (d) => (d.team.permissionPresets.lead = ['admin']),
    'team.permissionPresets.lead[0]: must be one of team.manage',
  ],
  [
    'a preset named as a permission',
    (d) => (d.team.permissionPresets['activity.read'] = []),
    'team.permissionPresets.activity.read: a preset must not have the name of a permission',
  ],
  ['a bad name', (d) => (d.store.members[1].name = 'bob!'), `${member(1)}.name: must be letters, digits`],
  ['a reserved name', (d) => (d.store.members[1].name = 'General'), `${member(1)}.name: is a reserved name`],
  [
    'a name taken in another case',
    (d) => (d.store.members[1].name = 'ADA'),
    `${member(1)}.name: is also the name of ${member(0)}`,
  ],
  ['no role', (d) => delete d.store.members[1].role, `${member(1)}.role: is missing`],
  ['no role title', (d) => (d.store.members[1].role = {}), `${member(1)}.role.title: is missing`],
  [
    'instructions too long',
    (d) => (d.store.members[1].instructions = 'x'.repeat(8193)),
    `${member(1)}.instructions: must be at most 8192`,
  ],
  [
    'no rawPermissions',
    (d) => delete d.store.members[1].rawPermissions,
    `${member(1)}.rawPermissions: is missing`,
  ],
  [
    'an unknown permission',
    (d) => d.store.members[1].rawPermissions.push('root'),
    `${member(1)}.rawPermissions[2]: "root" is neither a preset nor a permission`,
  ],
  [
    'a preset that only an object has',
    (d) => d.store.members[1].rawPermissions.push('toString'),
    `${member(1)}.rawPermissions[2]: "toString" is neither`,
  ],
  [
    'too many permissions',
    (d) => (d.store.members[1].rawPermissions = Array(33).fill('none')),
    `${member(1)}.rawPermissions: `,
  ],
  [
    'no holder of members.manage',
    (d) => (d.team.permissionPresets.admin = ['team.manage']),
    'store.members: at least one member must hold members.manage',
  ],
  [
    'no members',
    (d) => (d.store.members = []),
    'store.members: at least one member must hold members.manage',
  ],
  [
    'a token that is none',
    (d) => (d.store.members[0].token = secrets.token.slice(4)),
    `${member(0)}.token: must be svc_`,
  ],
  [
    'a hash that is none',
    (d) => (d.store.members[1].tokenHash = secrets.token),
    `${member(1)}.tokenHash: must be sha256:`,
  ],
  [
    'one token for two members',
    (d) => (d.store.members[1].tokenHash = hashToken(secrets.token)),
    `${member(1)}.tokenHash: is also the token of ${member(0)}`,
  ],
  [
    'a secret that is not base32',
    (d) => (d.store.members[0].totpSecret = `${secrets.totpSecret}1`),
    `${member(0)}.totpSecret: must be an encrypted envelope {v, ct, iv} or a base32 secret`,
  ],
  [
    'an envelope without an iv',
    (d) => (d.store.members[0].totpSecret = { v: 1, ct: 'AAAA' }),
    `${member(0)}.totpSecret: must be an encrypted envelope`,
  ],
  [
    'an envelope that is not base64',
    (d) => (d.store.members[0].totpSecret = { v: 1, ct: '*', iv: 'AAAA' }),
    `${member(0)}.totpSecret.ct: `,
  ],
  [
    'a VAPID private key in place of the public one',
    (d) => (d.webPush.vapidPublicKey = secrets.vapid.privateKey),
    'webPush.vapidPublicKey: must be a P-256 public key',
  ],
  [
    'a VAPID private key that is none',
    (d) => (d.webPush.vapidPrivateKey += 'x'),
    'webPush.vapidPrivateKey: must be an encrypted envelope {v, ct, iv} or a base64url key',
  ],
  ['an https port that is none', (d) => (d.https = { port: 70_000, cert: 'c', key: 'k' }), 'https.port: '],
  ['https without a key', (d) => (d.https = { port: 443, cert: 'c' }), 'https.key: is missing'],
  [
    'a jwt issuer that is no URL',
    (d) => (d.jwt = { issuer: 'x', audience: '', jwksUrl: 'https://x/' }),
    'jwt.issuer: must be an http or https URL',
  ],
  [
    'a jwt audience that is no team',
    (d) => (d.jwt = { issuer: 'https://x/', audience: 'team:1', jwksUrl: 'https://x/' }),
    'jwt.audience: must be team:<uuid>',
  ],
  ['files without a root', (d) => (d.files = {}), 'files.root: is missing'],
  ['a size in words', (d) => (d.files = { root: '/f', maxFileSize: '1 MB' }), 'files.maxFileSize: '],
  ['a host with a path', (d) => (d.listen = { hosts: ['a/b'] }), 'listen.hosts[0]: must be a host name'],
  [
    'a proxy by name',
    (d) => (d.listen = { trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'proxy'] }),
    'listen.trustedProxies[2]: must be an IP address or a CIDR range',
  ],
  ['allowed hosts in a string', (d) => (d.outbound = { allowHosts: 'a' }), 'outbound.allowHosts: '],
];

describe('an invalid field stops the start with 78 and names the file, path, and reason; the file stays as it is', () => {
  it.each(invalid)('%s', async (_, breakIt, reason) => {
    const document = plaintextDocument();
    breakIt(document);
    expect(await stopOf(await configFile(document))).toContain(reason);
  });

  it('names at most five faults and counts the rest', async () => {
    const document = plaintextDocument();
    document.store.members[1].rawPermissions = Array.from({ length: 8 }, (_, i) => `x${i}`);
    const message = await stopOf(await configFile(document));
    expect(message).toContain('"x4"');
    expect(message).not.toContain('"x5"');
    expect(message).toContain('; and 3 more.');
  });

  it.each(['[]', 'null', '1', '"x"'])('a document that is %s', async (text) => {
    expect(await stopOf(await configFile(text))).toContain('the file: ');
  });
});

describe('a file that is not JSON stops the start with 78 and stays as it is', () => {
  it('names the line and column, and quotes nothing', async () => {
    const text = JSON.stringify(plaintextDocument(), null, 2);
    const broken = text.replace(`"${secrets.token}"`, secrets.token);
    const line = broken.split('\n').findIndex((part) => part.includes(secrets.token));
    const column = broken.split('\n')[line]!.indexOf(secrets.token) + 1;
    const message = await stopOf(await configFile(broken));
    expect(message).toContain(`is not valid JSON at line ${line + 1}, column ${column}.`);
  });

  it('an empty file', async () => {
    expect(await stopOf(await configFile(''))).toContain('is not valid JSON at line 1, column 1.');
  });

  it('a file that is not UTF-8', async () => {
    const path = await configFile('');
    await writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await stopOf(path)).toContain('is not UTF-8 text');
  });

  it('a folder, a loop of links, and a file in place of the folder', async () => {
    const folder = await tempFolder();
    const kek = { SVC_KEK: Buffer.alloc(32, 1).toString('base64') };
    await mkdir(join(folder, 'd'));
    await expect(openAt(join(folder, 'd'), kek)).rejects.toThrow(
      `"${join(folder, 'd')}" is a folder, not a file.`,
    );
    await symlink('loop', join(folder, 'loop'));
    await expect(openAt(join(folder, 'loop'), kek)).rejects.toThrow('cannot be read (ELOOP)');
    await writeFile(join(folder, 'f'), '');
    await expect(openAt(join(folder, 'f', 'svc.json'), kek)).rejects.toThrow('cannot be read (ENOTDIR)');
  });
});

describe('loading', () => {
  it('treats a missing file as a broker that is not set up', async () => {
    const store = await openAt(join(await tempFolder(), 'svc.json'));
    expect(store).toMatchObject({ current: null, migrated: 0, problems: [] });
  });

  it('fills in what a hand-written file may leave out', async () => {
    const document = plaintextDocument();
    document.files = { root: 'files' };
    document.outbound = {};
    const { current } = await openAt(await configFile(document));
    expect(current).toMatchObject({
      team: { directive: '', brief: '' },
      files: { root: 'files', maxFileSize: 104_857_600 },
      outbound: { allowHosts: [] },
    });
    expect(current!.store.members[1]).toMatchObject({ instructions: '', role: { description: '' } });
    expect(current!.store.members[1]).not.toHaveProperty('tokenHash');
  });

  it('resolves permissions again from rawPermissions, in the order of the specification', async () => {
    const document = plaintextDocument();
    document.team.permissionPresets.admin = ['members.manage', 'team.manage'];
    document.store.members[1].permissions = ['members.manage', 'nonsense'];
    const { current } = await openAt(await configFile(document));
    expect(current!.store.members.map((each) => each.permissions)).toEqual([
      ['team.manage', 'members.manage'],
      ['activity.read'],
    ]);
  });

  it('accepts every optional block of the specification', async () => {
    const document = plaintextDocument();
    const blocks = {
      https: { port: 8443, cert: 'c.pem', key: 'k.pem' },
      jwt: {
        issuer: 'https://issuer.example',
        audience: 'team:6f1c2a34-0b1d-4e9f-8a77-000000000001',
        jwksUrl: 'https://issuer.example/jwks',
      },
      listen: {
        host: '::1',
        port: 0,
        httpsHost: '0.0.0.0',
        hosts: ['muster.lan'],
        trustedProxies: ['::1/128'],
      },
      outbound: { allowHosts: ['push.lan'] },
    };
    expect((await openAt(await configFile({ ...document, ...blocks }))).current).toMatchObject(blocks);
  });

  it('accepts null for a missing secret', async () => {
    const document = plaintextDocument();
    Object.assign(document.store.members[1], { token: null, tokenHash: null, totpSecret: null });
    const { current } = await openAt(await configFile(document));
    expect(current!.store.members[1]).not.toHaveProperty('tokenHash');
    expect(current!.store.members[1]).not.toHaveProperty('totpSecret');
  });

  it('skips a byte order mark', async () => {
    expect(
      (await openAt(await configFile(`\ufeff${JSON.stringify(plaintextDocument())}`))).current,
    ).not.toBeNull();
  });

  it('tightens a mode wider than 0600', async () => {
    const path = await configFile();
    await openAt(path);
    await chmod(path, 0o664);
    expect((await openAt(path)).problems).toEqual([]);
    expect(await modeOf(path)).toBe(0o600);
  });

  it('leaves a file that needs no migration as it is', async () => {
    const path = await configFile();
    await openAt(path);
    await utimes(path, 1_000_000, 1_000_000);
    const before = await readFile(path);
    expect((await openAt(path)).migrated).toBe(0);
    expect(await readFile(path)).toEqual(before);
    expect((await stat(path)).mtimeMs).toBe(1_000_000_000);
  });
});

describe('plaintext secrets are migrated at the first start and counted', () => {
  it('hashes the token and seals the TOTP secret and the VAPID key', async () => {
    const path = await configFile();
    const store = await openAt(path);
    expect(store.migrated).toBe(3);
    expect(store.problems).toEqual([]);
    const ada = store.current!.store.members[0]!;
    expect(ada.tokenHash).toBe(hashToken(secrets.token));
    expect(store.secret(ada.totpSecret!, 'totpSecret:ada')).toBe(secrets.totpSecret);
    const { vapidPrivateKey } = store.current!.webPush!;
    expect(store.secret(vapidPrivateKey, 'webPush.vapidPrivateKey')).toBe(secrets.vapid.privateKey);
  });

  it('leaves none of them in the file or beside it, and the mode is 0600', async () => {
    const path = await configFile();
    await chmod(path, 0o644);
    await openAt(path);
    expect((await readdir(dirname(path))).sort()).toEqual(['svc.json', 'svc.json.kek']);
    const text = await readFile(path, 'utf8');
    for (const secret of allSecrets) expect(text).not.toContain(secret);
    expect(await modeOf(path)).toBe(0o600);
  });

  it('keeps unknown keys at every level', async () => {
    const document = plaintextDocument();
    document.x = { deep: [1, { y: null }] };
    document.team.x = 1;
    document.store.x = 2;
    document.store.members[0].x = 3;
    document.store.members[0].role.x = 4;
    document.webPush.subject = 'mailto:ada@example.org';
    document.files = { root: 'f', x: 5 };
    const path = await configFile(document);
    await openAt(path);
    expect(await readDocument(path)).toMatchObject({
      x: { deep: [1, { y: null }] },
      team: { x: 1 },
      store: { x: 2, members: [{ x: 3, role: { x: 4 } }, {}] },
      webPush: { subject: 'mailto:ada@example.org' },
      files: { x: 5 },
    });
  });

  it('happens once', async () => {
    const path = await configFile();
    const first = await openAt(path);
    const second = await openAt(path);
    expect(second.migrated).toBe(0);
    expect(second.current).toEqual(first.current);
  });

  it('treats a plaintext token as newer than the hash beside it', async () => {
    const document = plaintextDocument();
    document.store.members[0].tokenHash = hashToken(mintToken());
    const { current } = await openAt(await configFile(document));
    expect(current!.store.members[0]!.tokenHash).toBe(hashToken(secrets.token));
  });

  it('reads a TOTP secret in any case and with spaces', async () => {
    const secret = mintTotpSecret();
    const document = plaintextDocument();
    document.store.members[0].totpSecret = secret.toLowerCase().replace(/(.{4})/g, '$1 ');
    const store = await openAt(await configFile(document));
    expect(store.secret(store.current!.store.members[0]!.totpSecret!, 'totpSecret:ada')).toBe(secret);
  });
});
