/**
 * Reads svc.json at start. An unusable file stops the start with exit code 78, and stays as it is
 * (specification/configuration.md#svcjson).
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import { codeOf, codeText } from '#platform/error-text.ts';
import { MountedFileError, mountFolderInstead } from '#platform/mounted-file.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { seal } from '../security/envelope.ts';
import { admitConfig, type Seal } from './admit-config.ts';
import { jsonFault } from './json-fault.ts';
import type { SvcConfig } from './svc-config.ts';

const maxFaultsShown = 5;

export interface LoadedConfig {
  config: SvcConfig;
  /** The content on disk now, after the migration if there was one. */
  content: Buffer;
  /** The number of plaintext secrets that were hashed or sealed. */
  migrated: number;
  /** Others may read the file, and this user cannot change that. */
  isExposed: boolean;
}

/**
 * Returns null if there is no file. A migration is one atomic write, so a kill at any point leaves the old or
 * the new file.
 */
export async function loadConfig(path: string, sealField: Seal): Promise<LoadedConfig | null> {
  const content = await readContent(path);
  if (content === null) return null;
  const { config, migrated } = admitted(content, path, sealField);
  if (migrated === 0) return { config, content, migrated, isExposed: await cannotTighten(path) };
  const written = serialise(config);
  try {
    await replacePrivateFile(path, written);
  } catch (error) {
    const remedy =
      error instanceof MountedFileError
        ? `It is mounted as a single file. ${mountFolderInstead(path)} Then start again.`
        : 'Make it and its folder writable, then start again.';
    throw new StartUpError(
      `The configuration "${path}" holds ${migrated} plaintext secrets and cannot be rewritten without them (${codeText(error)}). The file was left as it is. ${remedy}`,
    );
  }
  return { config, content: Buffer.from(written), migrated, isExposed: false };
}

/** Changes nothing on disk. @throws StartUpError as `loadConfig`, if there is a file that cannot be used. */
export async function checkConfig(path: string): Promise<void> {
  const content = await readContent(path);
  const passing = createSecretKey(randomBytes(32));
  if (content !== null) admitted(content, path, (plaintext, field) => seal(passing, plaintext, field));
}

function admitted(content: Buffer, path: string, sealField: Seal) {
  const admission = admitConfig(parseJson(content, path), sealField);
  if ('faults' in admission) throw stop(path, `is not valid: ${summary(admission.faults)}`);
  return admission;
}

/** Returns the file's text for a configuration. */
export function serialise(config: SvcConfig): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Returns the first few faults as part of a sentence. */
export function summary(faults: readonly string[]): string {
  const more = faults.length - maxFaultsShown;
  return faults.slice(0, maxFaultsShown).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

async function readContent(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return null;
    throw stop(path, code === 'EISDIR' ? 'is a folder, not a file' : `cannot be read (${code})`);
  }
}

/**
 * Skips a byte order mark, which some editors write. The parser's own message is dropped, because it quotes
 * the text.
 */
function parseJson(content: Buffer, path: string): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw stop(path, 'is not UTF-8 text');
  }
  try {
    return JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    const where = fault ? ` at line ${fault.line}, column ${fault.column}` : '';
    throw stop(path, `is not valid JSON${where}`);
  }
}

function stop(path: string, reason: string): StartUpError {
  return new StartUpError(
    `The configuration "${path}" ${reason}. The file was left as it is. Correct it, then start again.`,
  );
}

async function cannotTighten(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  const { mode } = await stat(path);
  if ((mode & 0o077) === 0) return false;
  return chmod(path, 0o600).then(
    () => false,
    () => true,
  );
}
