/**
 * A CODEX_HOME of the run's own under the user's cache folder: the person's login and
 * what else shapes Codex, linked, and a generated configuration. It is removed on every exit path; what a killed run left is removed at the next start
 * (specification/runner.md#registration).
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse, stringify, TomlError } from 'smol-toml';
import { z } from 'zod';
import { codeOf } from '#platform/error-text.ts';
import { replaceFileSync } from '#platform/synced-file.ts';
import { abandonedFolders, makeOwnedFolder } from '../../process/owned-folder.ts';
import { AgentError } from '../agent.ts';
import {
  type ConfigRequest,
  type Login,
  loginOf,
  runConfig,
  runProfile,
  type Table,
} from './codex-config.ts';
import { linkRollouts } from './codex-rollouts.ts';
import { withPaths } from './config-paths.rules.ts';
import { bringPersonFiles } from './person-files.ts';

type Env = Readonly<Record<string, string>>;

/** The person's own home of Codex. */
export const personHome = (env: Env): string =>
  resolve(env.CODEX_HOME || join(env.HOME || env.USERPROFILE || homedir(), '.codex'));

export interface CodexHome {
  readonly path: string;
  /** Safe to call again. */
  remove(): void;
}

export interface HomeRequest extends ConfigRequest {
  /**
   * The folder of the homes of runs, created if it is missing. Not under the temporary directory, where Codex
   * keeps no helper programs.
   */
  runsDir: string;
  env: Env;
  /** The folder for conversations, created if it is missing; null to remove them with the home. */
  keptDir: string | null;
}

const authName = 'auth.json';
const originName = 'svc-login.json';
const prefix = 'codex';

/** The source of the login, so that a renewed one can be returned: a refresh token works only once. */
const Origin = z.object({ path: z.string(), hash: z.string() });
type Origin = z.infer<typeof Origin>;

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new AgentError(
      `"${path}" cannot be read (${codeOf(error) ?? 'unknown cause'}). Check its owner and mode.`,
    );
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the person's configuration; empty if there is none. @throws AgentError if it is not TOML. */
export const readConfig = (home: string): Table => readToml(join(home, 'config.toml'));

function readToml(path: string): Table {
  const bytes = readOrNull(path);
  if (bytes === null) return {};
  try {
    const config = parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    // Codex leaves a path that begins with "~" to its own home folder.
    return withPaths(config, (one) => (one.startsWith('~') ? one : resolve(dirname(path), one)));
  } catch (error) {
    // The parser's message quotes the file, which may contain keys.
    const where = error instanceof TomlError ? ` (line ${error.line})` : '';
    throw new AgentError(`"${path}" is not valid TOML${where}. Correct it, and start again.`);
  }
}

/** Returns how the person is logged in, as far as the login file tells. */
export function readLogin(home: string): Login {
  const bytes = readOrNull(join(home, authName));
  if (bytes === null) return 'none';
  try {
    return loginOf(JSON.parse(bytes.toString('utf8')));
  } catch {
    return 'none';
  }
}

function bringLogin(from: string, home: string): void {
  const path = join(from, authName);
  const bytes = readOrNull(path);
  if (bytes === null) return;
  const origin: Origin = { path, hash: hashOf(bytes) };
  writeFileSync(join(home, originName), JSON.stringify(origin), { mode: 0o600 });
  try {
    symlinkSync(path, join(home, authName), 'file');
  } catch {
    copyFileSync(path, join(home, authName));
    chmodSync(join(home, authName), 0o600);
  }
}

/** Writes a login that was renewed in a copy back to its origin, unless the origin changed as well. */
function giveLoginBack(home: string): void {
  const note = readOrNull(join(home, originName));
  if (note === null) return;
  const origin = Origin.parse(JSON.parse(note.toString('utf8')));
  const path = join(home, authName);
  if (lstatSync(path).isSymbolicLink()) return;
  const renewed = readFileSync(path);
  const present = readOrNull(origin.path);
  if (present === null || hashOf(present) !== origin.hash || hashOf(renewed) === origin.hash) return;
  JSON.parse(renewed.toString('utf8'));
  replaceFileSync(origin.path, renewed, 0o600);
}

function removeHome(home: string): void {
  try {
    giveLoginBack(home);
  } catch {
    // No login, or half of one: there is nothing to return.
  }
  // Links inside are removed, not followed. Codex may still be writing while it ends.
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** Removes homes whose runner is gone. Returns how many; what cannot be removed does not stop the start. */
export function sweepHomes(runsDir: string): number {
  const homes = abandonedFolders(runsDir, prefix);
  let swept = 0;
  for (const home of homes) {
    try {
      removeHome(home);
      swept += 1;
    } catch {
      // Retried at the next start.
    }
  }
  return swept;
}

/** @throws AgentError, with nothing left behind. */
export function createCodexHome(request: HomeRequest): CodexHome {
  const from = personHome(request.env);
  const config = runConfig(readConfig(from), request);
  let path: string | null = null;
  try {
    path = makeOwnedFolder(request.runsDir, prefix);
    bringLogin(from, path);
    bringPersonFiles({ from, home: path, profileOf: (one) => runProfile(readToml(one), request) });
    if (request.keptDir !== null) linkRollouts(path, request.keptDir);
    writeFileSync(join(path, 'config.toml'), stringify(config), { mode: 0o600 });
  } catch (error) {
    if (path !== null) removeHome(path);
    if (error instanceof AgentError) throw error;
    throw new AgentError(
      `the run’s folder in "${request.runsDir}" cannot be written (${codeOf(error) ?? 'unknown cause'}). Check its owner, its mode, and the free space.`,
    );
  }
  const made = path;
  return { path: made, remove: () => removeHome(made) };
}
