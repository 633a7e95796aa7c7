/** A certificate of a team, and its key, for servers of tests on loopback. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHttpsFiles } from '../config/https-files.ts';
import { certificateFingerprint } from '../security/fingerprint.ts';

export interface TeamKeys {
  /** PEM. */
  cert: string;
  key: string;
  fingerprint: string;
}

export async function makeTeamKeys(): Promise<TeamKeys> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-keys-'));
  const names = { configured: [], all: ['127.0.0.1'] };
  const request = { teamName: 'team', names, now: Date.now() };
  const { certificate: cert, key } = await makeHttpsFiles(join(folder, 'svc.json'), request);
  await rm(folder, { recursive: true });
  return { cert, key, fingerprint: certificateFingerprint(cert) };
}
