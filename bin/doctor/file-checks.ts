/**
 * The checks of `muster doctor` on this machine. They change nothing: no file is created, migrated, or given
 * another mode.
 */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import process from 'node:process';
import type { BearerCache } from '#client/bearer-cache.ts';
import { codeOf } from '#platform/error-text.ts';
import { isMountedFile } from '#platform/mounted-file.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { admitConfig, totpField, vapidField } from '../../broker/config/admit-config.ts';
import type { SvcConfig } from '../../broker/config/svc-config.ts';
import { open, seal } from '../../broker/security/envelope.ts';
import { type Finding, fail, failed, ok, warn } from './finding.ts';

/** `paths`: where it may be, best first. `isNamed`: the person named the path. */
export async function checkConfig(
  paths: readonly string[],
  isNamed: boolean,
): Promise<{ findings: Finding[]; path?: string; config?: SvcConfig }> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => codeOf(error) ?? 'EIO');
    if (text === 'ENOENT') continue;
    if (/^E[A-Z]+$/.test(text))
      return {
        findings: [fail('configuration', `"${path}" cannot be read (${text})`, 'check its owner and mode')],
        path,
      };
    const read = readConfig(path, text);
    return {
      findings: [read.finding, ...(await checkMode('configuration mode', path)), ...checkMount(path)],
      path,
      ...read.config,
    };
  }
  const where = paths.map((path) => `"${path}"`).join(' or ');
  const finding = isNamed
    ? fail('configuration', `there is no file ${where}`, `check the path, or run "${svcCommand} setup"`)
    : warn(
        'configuration',
        `there is no file ${where}`,
        `only the machine that runs the broker needs one; create it with "${svcCommand} setup"`,
      );
  return { findings: [finding] };
}

/** The broker can read such a file, and refuses every change of it. */
const checkMount = (path: string): Finding[] =>
  isMountedFile(path)
    ? [
        warn(
          'configuration mount',
          `"${path}" is mounted as a single file, so the broker cannot replace it and refuses every change`,
          `mount the folder that contains "${basename(path)}" instead of the file`,
        ),
      ]
    : [];

function readConfig(path: string, text: string): { finding: Finding; config?: { config: SvcConfig } } {
  const remedy = 'correct the file, or restore a backup';
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return { finding: fail('configuration', `"${path}" is not valid JSON`, remedy) };
  }
  // Plaintext secrets are sealed with a temporary key that is discarded, because only their number matters.
  const key = createSecretKey(randomBytes(32));
  const admission = admitConfig(document, (plaintext, field) => seal(key, plaintext, field));
  if ('faults' in admission)
    return { finding: fail('configuration', `${path}: ${admission.faults.slice(0, 3).join('; ')}`, remedy) };
  const { config, migrated } = admission;
  const found = `${path}: team "${config.team.name}", members: ${config.store.members.length}`;
  if (migrated === 0) return { finding: ok('configuration', found), config: { config } };
  const finding = warn(
    'configuration',
    `${found}, plaintext secrets: ${migrated}`,
    'start the broker, which hashes or encrypts them',
  );
  // Its envelopes are sealed with the discarded key.
  return { finding };
}

export async function checkKek(
  configPath: string,
  config: SvcConfig | undefined,
  fromEnv: string | undefined,
): Promise<Finding[]> {
  const path = `${configPath}.kek`;
  const envelopes = config === undefined ? [] : envelopesOf(config);
  const remedy = 'restore it from a backup; without it, members must enroll new authenticators';
  const where = fromEnv === undefined ? path : 'SVC_KEK';
  const text = fromEnv ?? (await readFile(path, 'utf8').catch((error: unknown) => ({ code: codeOf(error) })));
  if (typeof text !== 'string') {
    if (text.code !== 'ENOENT')
      return [fail('key', `"${path}" cannot be read (${text.code})`, 'check its owner and mode')];
    const isWrapped = await stat(`${path}.safe`).then(
      () => true,
      () => false,
    );
    if (isWrapped)
      return [ok('key', `${path}.safe, wrapped by the system’s keychain; only the desktop app can open it`)];
    const detail = `there is no file "${path}"`;
    return [
      envelopes.length > 0
        ? fail(
            'key',
            detail,
            `run the command with the variables of the broker’s service if they have SVC_KEK; otherwise, ${remedy}`,
          )
        : warn('key', detail, 'start the broker, which creates it'),
    ];
  }
  const mode = fromEnv === undefined ? await checkMode('key mode', path) : [];
  const key = keyOf(text);
  if (key === undefined)
    return [fail('key', `${where} does not contain 32 bytes in base64`, remedy), ...mode];
  const dead = envelopes
    .filter(([field, envelope]) => open(key, envelope, field) === null)
    .map(([field]) => field);
  if (dead.length > 0) return [fail('key', `${where} cannot decrypt ${dead.join(', ')}`, remedy), ...mode];
  return [ok('key', `${where}, decrypts ${envelopes.length} secrets`), ...mode];
}

function envelopesOf(config: SvcConfig) {
  const secrets = config.store.members.map((member) => [totpField(member.name), member.totpSecret] as const);
  return [...secrets, [vapidField, config.webPush?.vapidPrivateKey] as const].flatMap(([field, envelope]) =>
    envelope === undefined ? [] : [[field, envelope] as const],
  );
}

function keyOf(text: string): KeyObject | undefined {
  const bytes = Buffer.from(text.trim(), 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text.trim() ? createSecretKey(bytes) : undefined;
}

export async function checkCache(cache: BearerCache): Promise<Finding[]> {
  try {
    const entries = await cache.entries();
    if (entries.length === 0)
      return [
        warn(
          'saved tokens',
          `there is no token in "${cache.path}"`,
          `run "${svcCommand} connect" to get one, or pass --token or set SVC_TOKEN`,
        ),
      ];
    const found = ok('saved tokens', `${cache.path}: ${entries.map(({ url }) => url).join(', ')}`);
    return [found, ...(await checkMode('saved tokens mode', cache.path))];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [
      failed(
        'saved tokens',
        error,
        'repair the file, or move it to another folder and save the tokens again',
      ),
    ];
  }
}

async function checkMode(check: string, path: string): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const mode = (await stat(path)).mode & 0o777;
  const written = `0${mode.toString(8)}`;
  if ((mode & 0o077) === 0) return [ok(check, written)];
  return [
    fail(check, `"${path}" has mode ${written}, so other users can access it`, `run: chmod 600 '${path}'`),
  ];
}
