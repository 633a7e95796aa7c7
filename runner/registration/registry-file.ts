/**
 * The agent's tool registry file, `.mcp.json` in the working directory (specification "Persistent stores and runner files" 4): one entry is
 * added for the length of the run, and the file is byte for byte as before on every exit path. After SIGKILL or power loss the next start
 * finds the marker and restores first.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AgentError, type BridgeCommand } from '../agents/agent.ts';
import { codeOf } from '../connection/private-file.ts';
import { isAlive, ownIdentity } from '../process/process-identity.ts';

export const registryName = '.mcp.json';
export const entryName = 'svc';

const Marker = z.object({
  schema: z.literal(1),
  pid: z.int(),
  startedAt: z.string().nullable(),
  member: z.string(),
  /** `preparing`: the registry file is untouched. `registered`: it holds our entry, and the backup is whole. */
  state: z.enum(['preparing', 'registered']),
  /** Null when there was no file. */
  mode: z.int().nullable(),
  /** Of what we wrote, to tell a change by somebody else. */
  writtenHash: z.string().nullable(),
});
type Marker = z.infer<typeof Marker>;

export interface Registration {
  readonly path: string;
  /** Restores the file and removes marker and backup; doing it again changes nothing. Answers a sentence when somebody else changed the file. */
  restore(): string | null;
}

export interface RegistryRequest {
  cwd: string;
  /** Whose run it is, for the sentence that refuses a second one. */
  member: string;
  bridge: BridgeCommand;
}

interface Places {
  /** The file itself, where `.mcp.json` is a link to it. */
  file: string;
  marker: string;
  backup: string;
  changed: string;
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function placesIn(cwd: string): Places {
  const named = join(cwd, registryName);
  let file = named;
  try {
    file = realpathSync(named);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return { file, marker: `${named}.svc-run`, backup: `${named}.svc-backup`, changed: `${named}.svc-changed` };
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function writeSynced(path: string, bytes: Buffer, flag: 'w' | 'wx', mode: number): void {
  const file = openSync(path, flag, mode);
  try {
    writeSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // The mask of the process takes rights away from a new file.
  chmodSync(path, mode);
}

/** Beside it, synced, renamed over it: whoever reads sees the old bytes or the new ones. */
function replace(path: string, bytes: Buffer, mode: number): void {
  const beside = `${path}.svc-${process.pid}`;
  writeSynced(beside, bytes, 'w', mode);
  renameSync(beside, path);
  syncFolder(path);
}

/** @throws AgentError for what is no JSON object: the file is left as it is. */
function withEntry(path: string, bytes: Buffer | null, { command, args, env }: BridgeCommand): Buffer {
  let document: unknown = {};
  if (bytes !== null && bytes.toString('utf8').trim() !== '') {
    try {
      document = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    } catch {
      throw new AgentError(`${path} is not valid JSON and was left as it is: correct it, then start again`);
    }
  }
  const Registry = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).optional() });
  const read = Registry.safeParse(document);
  if (!read.success)
    throw new AgentError(
      `${path} is not a registry of MCP servers and was left as it is: correct it, then start again`,
    );
  const mcpServers = { ...read.data.mcpServers, [entryName]: { command, args, env } };
  return Buffer.from(`${JSON.stringify({ ...read.data, mcpServers }, null, 2)}\n`);
}

function readMarker(places: Places): Marker | null {
  const bytes = readOrNull(places.marker);
  if (bytes === null) return null;
  try {
    return Marker.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    // Torn while it was made: then nothing else was touched yet.
    return {
      schema: 1,
      pid: 0,
      startedAt: null,
      member: '',
      state: 'preparing',
      mode: null,
      writtenHash: null,
    };
  }
}

function undo(places: Places, marker: Marker): string | null {
  let said: string | null = null;
  if (marker.state === 'registered') {
    const present = readOrNull(places.file);
    if (present !== null && marker.writtenHash !== null && hashOf(present) !== marker.writtenHash) {
      replace(places.changed, present, 0o600);
      said = `${places.file} was changed during the run; it is as before the run now, and the changed one is ${places.changed}`;
    }
    const backup = readOrNull(places.backup);
    if (marker.mode === null) rmSync(places.file, { force: true });
    else if (backup !== null) replace(places.file, backup, marker.mode);
  }
  rmSync(places.backup, { force: true });
  syncFolder(places.marker);
  rmSync(places.marker, { force: true });
  return said;
}

/** Restores what a run that was killed left behind. Answers a sentence when it did. @throws AgentError when a run is under way there. */
export function recoverRegistry(cwd: string): string | null {
  const places = placesIn(cwd);
  const marker = readMarker(places);
  if (marker === null) return null;
  if (isAlive(marker))
    throw new AgentError(
      `an agent of ${marker.member} already runs in this folder (process ${marker.pid}): stop it, or use another folder`,
    );
  return undo(places, marker) ?? `${places.file} is as before a run that was cut off`;
}

/** @throws AgentError, with everything as it was. */
export function registerBridge({ cwd, member, bridge }: RegistryRequest): Registration {
  const places = placesIn(cwd);
  const marker: Marker = {
    schema: 1,
    ...ownIdentity(),
    member,
    state: 'preparing',
    mode: null,
    writtenHash: null,
  };
  const textOf = (one: Marker): Buffer => Buffer.from(JSON.stringify(one));
  try {
    writeSynced(places.marker, textOf(marker), 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(places.marker, error);
    // Another start came first.
    recoverRegistry(cwd);
    return registerBridge({ cwd, member, bridge });
  }
  let active = marker;
  try {
    const before = readOrNull(places.file);
    const written = withEntry(places.file, before, bridge);
    const mode = before === null ? null : statSync(places.file).mode & 0o777;
    if (before !== null) writeSynced(places.backup, before, 'w', mode ?? 0o600);
    active = { ...marker, state: 'registered', mode, writtenHash: hashOf(written) };
    replace(places.marker, textOf(active), 0o600);
    // The entry holds the run's key.
    replace(places.file, written, 0o600);
  } catch (error) {
    undo(places, active);
    throw error instanceof AgentError ? error : unwritable(places.file, error);
  }
  let isRestored = false;
  return {
    path: places.file,
    restore() {
      if (isRestored) return null;
      isRestored = true;
      return undo(places, active);
    },
  };
}

const unwritable = (path: string, error: unknown): AgentError =>
  new AgentError(`${path} cannot be written (${codeOf(error) ?? 'unknown cause'}): check its owner and mode`);
