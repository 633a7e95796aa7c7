/**
 * Creates or renews the files of the https block: an authority of the team's own and a certificate for this
 * machine's names (specification/configuration.md#certificates).
 */
import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf, codeText } from '#platform/error-text.ts';
import { MountedFileError } from '#platform/mounted-file.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import type { KeyAndCertificate } from '../security/certificates.ts';
import { certificateFingerprint } from '../security/fingerprint.ts';
import type { ConfigStore } from './config-store.ts';
import { tlsFiles } from './https-block.ts';
import { type AuthorityRenewal, authorityRenewal } from './leaf-renewal.rules.ts';
import { type OwnNames, ownNames, urlHost } from './own-names.ts';

/** PEM. */
export interface MadeFiles {
  certificate: string;
  key: string;
  authority: string;
  /** Whether the key existed before, so that whoever pinned it needs to do nothing. */
  keptKey: boolean;
  /** Why the authority was issued again under its key; null if it was not. */
  renewedAuthority: AuthorityRenewal | null;
}

export interface MadeHttps {
  /** `https://<address>:<port>` for each network address of this machine and its host name. */
  urls: string[];
  fingerprint: string;
  /** PEM of the authority, for browsers. */
  authorityPath: string;
  keptKey: boolean;
  /** Why the authority was issued again; absent if it was not. */
  renewedAuthority?: AuthorityRenewal;
}

export interface HttpsFilesRequest {
  teamName: string;
  names: Pick<OwnNames, 'all' | 'configured'>;
  /** Epoch ms. */
  now: number;
  /** PEM of the key in use, which takes precedence over the file. */
  key?: string | undefined;
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new StartUpError(`"${path}" cannot be read (${codeText(error)}). Make it readable for this user.`);
  }
}

async function keep(folder: string, name: string, pair: KeyAndCertificate): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replacePrivateFile(join(folder, `${name}.key`), pair.key);
    await replacePrivateFile(join(folder, `${name}.crt`), pair.certificate);
  } catch (error) {
    if (error instanceof MountedFileError) throw new StartUpError(error.message);
    throw new StartUpError(
      `The certificates cannot be written to "${folder}" (${codeText(error)}). Make the folder writable for this user.`,
    );
  }
}

/**
 * Writes `tls/` beside the configuration; the caller writes the https block. Existing keys of the authority
 * and the server are kept, so that pins stay valid, and the certificate is always issued again.
 * @throws StartUpError if a file cannot be read, used, or written.
 */
export async function makeHttpsFiles(configPath: string, request: HttpsFilesRequest): Promise<MadeFiles> {
  const { teamName, names, now } = request;
  // The library is large, and most starts do not need it.
  const { createAuthority, issueLeaf } = await import('../security/certificates.ts');
  const { folder, ...files } = tlsFiles(configPath);
  const [authorityKey, authorityCertificate] = await Promise.all([
    textOf(files.authorityKey),
    textOf(files.authority),
  ]);
  const known =
    authorityKey === null || authorityCertificate === null
      ? null
      : { key: authorityKey, certificate: authorityCertificate };
  const onDisk = await textOf(files.key);
  const before = request.key ?? onDisk;
  let authority: KeyAndCertificate;
  let leaf: KeyAndCertificate;
  let renewedAuthority: AuthorityRenewal | null = null;
  try {
    if (known === null) authority = await createAuthority({ teamName, names: names.all, now });
    else ({ authority, renewed: renewedAuthority } = await presentAuthority(known, request));
    const covered = await certifiedNames(authority, names.all);
    leaf = await issueLeaf({ authority, names: covered, now, ...(before !== null && { key: before }) });
  } catch {
    throw new StartUpError(
      `A file in "${folder}" is damaged. Restore it from a backup, or move the folder away to create new files; everybody must then confirm a new fingerprint.`,
    );
  }
  if (authority !== known) await keep(folder, 'ca', authority);
  if (!isReplaced(request.key, onDisk)) await keep(folder, 'server', leaf);
  return { ...leaf, authority: authority.certificate, keptKey: before !== null, renewedAuthority };
}

/** Issues the authority again if it is near its end, lacks limits, or may not sign for a configured name. */
async function presentAuthority(
  known: KeyAndCertificate,
  { names, now }: HttpsFilesRequest,
): Promise<{ authority: KeyAndCertificate; renewed: AuthorityRenewal | null }> {
  const { permittedBy, renewAuthority } = await import('../security/certificates.ts');
  const { hasLimits, isPermitted } = await import('../security/name-constraints.ts');
  const permitted = permittedBy(known.certificate);
  const present = new X509Certificate(known.certificate);
  const state = {
    isUnlimited: !hasLimits(present.raw),
    beyond: names.configured.filter((name) => permitted !== null && !isPermitted(name, permitted)),
    expiresAt: present.validToDate.getTime(),
  };
  const renewed = authorityRenewal(state, now);
  if (renewed === null) return { authority: known, renewed };
  return { authority: await renewAuthority(known, { names: names.all, now }), renewed };
}

/** A name that the authority may not sign for would make browsers refuse the whole certificate. */
async function certifiedNames(
  { certificate }: KeyAndCertificate,
  names: readonly string[],
): Promise<readonly string[]> {
  const { permittedBy } = await import('../security/certificates.ts');
  const { isPermitted } = await import('../security/name-constraints.ts');
  const permitted = permittedBy(certificate);
  return permitted === null ? names : names.filter((name) => isPermitted(name, permitted));
}

/**
 * Another valid key on disk was put there on purpose, for the next start, so the key in use must not
 * overwrite it.
 */
function isReplaced(inUse: string | undefined, onDisk: string | null): boolean {
  if (inUse === undefined || onDisk === null) return false;
  try {
    return !createPublicKey(inUse).equals(createPublicKey(onDisk));
  } catch {
    return false;
  }
}

/** Creates the files and writes the https block, for a broker that is not running. */
export async function makeHttps(config: ConfigStore, port: number, now: number): Promise<MadeHttps> {
  const names = ownNames(config.current?.listen?.hosts ?? []);
  const teamName = config.current?.team.name ?? 'team';
  const made = await makeHttpsFiles(config.path, { teamName, names, now });
  await config.update((current) => ({ ...current, https: ownBlock(config.path, current.https, port) }));
  return {
    urls: names.network.map((name) => `https://${urlHost(name)}:${port}`),
    fingerprint: certificateFingerprint(made.certificate),
    authorityPath: tlsFiles(config.path).authority,
    keptKey: made.keptKey,
    ...(made.renewedAuthority !== null && { renewedAuthority: made.renewedAuthority }),
  };
}

/**
 * Returns the https block that names the files created here. Keys of it that this version does not know are
 * kept.
 */
export function ownBlock(configPath: string, present: object | undefined, port: number) {
  const { certificate, key } = tlsFiles(configPath);
  const written = (path: string): string => relative(dirname(configPath), path).replaceAll('\\', '/');
  return { ...present, port, cert: written(certificate), key: written(key) };
}
