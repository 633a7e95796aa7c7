/** Makes or renews the files of the https block (D15): an authority of the team's own and a leaf for this machine's names. */
import { mkdir, readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createAuthority, issueLeaf, type KeyAndCertificate } from '../security/certificates.ts';
import { certificateFingerprint } from '../security/fingerprint.ts';
import { writeFileAtomically } from './atomic-file.ts';
import type { ConfigStore } from './config-store.ts';

export interface MadeHttps {
  /** `https://<address>:<port>` for each address of this machine on the network, and its host name. */
  urls: string[];
  fingerprint: string;
  /** PEM of the authority, for browsers. */
  authorityPath: string;
  /** True when the key was there before: who pinned it needs to do nothing. */
  keptKey: boolean;
}

/** Host names and addresses by which others may call this machine. */
export function ownNames(extra: readonly string[]): { network: string[]; all: string[] } {
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
  const name = hostname().toLowerCase();
  const network = [...addresses, `${name}.local`, ...extra];
  return { network, all: [...new Set([name, ...network, 'localhost', '127.0.0.1', '::1'])] };
}

async function present(folder: string, name: string): Promise<KeyAndCertificate | null> {
  try {
    const [key, certificate] = await Promise.all(
      ['key', 'crt'].map((extension) => readFile(join(folder, `${name}.${extension}`), 'utf8')),
    );
    return key === undefined || certificate === undefined ? null : { key, certificate };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function keep(folder: string, name: string, pair: KeyAndCertificate): Promise<void> {
  await writeFileAtomically(join(folder, `${name}.key`), pair.key);
  await writeFileAtomically(join(folder, `${name}.crt`), pair.certificate);
}

/**
 * Writes `tls/` beside the configuration and the https block into it. An authority and a server key that are there are kept, so that pins
 * hold; the certificate is always issued anew.
 */
export async function makeHttps(config: ConfigStore, port: number, now: number): Promise<MadeHttps> {
  const folder = join(dirname(config.path), 'tls');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = ownNames(config.current?.listen?.hosts ?? []);
  const known = await present(folder, 'ca');
  const authority = known ?? (await createAuthority(config.current?.team.name ?? 'team', now));
  if (known === null) await keep(folder, 'ca', authority);
  const before = await present(folder, 'server');
  const leaf = await issueLeaf({
    authority,
    names: names.all,
    now,
    ...(before !== null && { key: before.key }),
  });
  await keep(folder, 'server', leaf);
  const written = (name: string): string =>
    relative(dirname(config.path), join(folder, name)).replaceAll('\\', '/');
  await config.update((current) => ({
    ...current,
    https: { ...current.https, port, cert: written('server.crt'), key: written('server.key') },
  }));
  return {
    urls: names.network.map((name) => `https://${name.includes(':') ? `[${name}]` : name}:${port}`),
    fingerprint: certificateFingerprint(leaf.certificate),
    authorityPath: join(folder, 'ca.crt'),
    keptKey: before !== null,
  };
}
