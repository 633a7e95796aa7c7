/**
 * The agent's tool registry file, `.mcp.json` in the working directory: one entry is added for the duration
 * of the run, and the file is byte for byte as before on every exit path. After SIGKILL or a power failure,
 * the next start finds the marker and restores first. The marker and the backup are outside the working directory, so
 * that no commit can contain them (specification/runner.md#registration).
 */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { codeOf } from '#platform/error-text.ts';
import { isAlive, ownIdentity } from '#platform/process-identity.ts';
import { createFileSync, replaceFileSync, syncFolderSync } from '#platform/synced-file.ts';
import { AgentError, type BridgeCommand } from '../agents/agent.ts';
import { keyVariable } from '../bridge/bridge-protocol.ts';
import { Exclusion, exclude, gitViewOf, include } from './git-exclude.ts';
import { withRecoveryClaim } from './recovery-claim.ts';

export const registryName = '.mcp.json';
export const entryName = 'svc';

const Marker = z.object({
  schema: z.literal(1),
  pid: z.int(),
  startedAt: z.string().nullable(),
  /** Printed; the file may have come with the folder. */
  member: z.string().regex(/^[\w.-]{1,64}$/),
  /**
   * `preparing`: the registry file is untouched. `registered`: it contains the runner's entry, and the backup
   * is complete.
   */
  state: z.enum(['preparing', 'registered']),
  /** Null if there was no file. Only permissions: the marker may have come with the folder, and a mode may be setuid. */
  mode: z
    .int()
    .transform((mode) => mode & 0o777)
    .nullable(),
  /** The hash of the text that the runner wrote, to detect a change by another program. */
  writtenHash: z.string().nullable(),
  /** Git has the file, so a missing one is what git wants. Absent in markers of earlier versions. */
  isTracked: z.boolean().optional(),
  /** The line that keeps the file out of commits. */
  exclusion: Exclusion.nullable().optional(),
});
type Marker = z.infer<typeof Marker>;

export interface Registration {
  readonly path: string;
  /**
   * Restores the file and removes the marker and the backup; repeating it changes nothing. Returns a sentence for the person
   * if somebody else changed the file, which then stays as it is.
   */
  restore(): string | null;
}

export interface RegistryRequest {
  cwd: string;
  /** The member whose run it is, for the sentence that refuses a second one. */
  member: string;
  bridge: BridgeCommand;
  /** A folder of this user, outside of `cwd`, for the marker and the backup. It is created if it is missing. */
  keptDir: string;
}

interface Places {
  /** The file itself, if `.mcp.json` is a link to it. */
  file: string;
  marker: string;
  backup: string;
  /** The place of the former content if the file was changed. */
  former: string;
  claim: string;
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function realFile(cwd: string): string {
  try {
    return realpathSync(join(cwd, registryName));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return join(realpathSync(cwd), registryName);
}

/** Of the file: two folders whose `.mcp.json` is the same file have one run at a time. */
function placesIn(cwd: string, keptDir: string): Places {
  const file = realFile(cwd);
  const base = join(keptDir, `registry-${hashOf(Buffer.from(file)).slice(0, 32)}`);
  return {
    file,
    marker: `${base}.run`,
    backup: `${base}.backup`,
    former: `${base}.former`,
    claim: `${base}.recover`,
  };
}

/** Earlier versions kept everything beside the file. */
function earlierPlacesIn(cwd: string, { file, former }: Places): Places {
  const named = join(cwd, registryName);
  return {
    file,
    marker: `${named}.svc-run`,
    backup: `${named}.svc-backup`,
    former,
    claim: `${named}.svc-recover`,
  };
}

/** A link that leads to a file is already resolved (placesIn). */
const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** @throws AgentError if the file is not a registry in JSON; the file is left as it is. */
function withEntry(path: string, bytes: Buffer | null, { command, args, env }: BridgeCommand): Buffer {
  let document: unknown = {};
  if (bytes !== null && bytes.toString('utf8').trim() !== '') {
    try {
      document = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    } catch {
      throw new AgentError(`"${path}" is not valid JSON and was not changed. Correct it, and start again.`);
    }
  }
  const Registry = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).optional() });
  const read = Registry.safeParse(document);
  if (!read.success)
    throw new AgentError(
      `"${path}" is not a registry of MCP servers and was not changed. Correct it, and start again.`,
    );
  const mcpServers = { ...read.data.mcpServers, [entryName]: { command, args, env } };
  return Buffer.from(`${JSON.stringify({ ...read.data, mcpServers }, null, 2)}\n`);
}

/** Longer than it takes to write the first marker. */
const makingMs = 5000;

/** @throws AgentError for a link, whose content would be copied into the project, and for a file that never ends. */
function refuseIrregular(path: string): void {
  if (!(lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true))
    throw new AgentError(
      `"${path}" is not a regular file, so no run created it. Delete it, and start again.`,
    );
}

function readMarker(places: Places): Marker | null {
  refuseIrregular(places.marker);
  const bytes = readOrNull(places.marker);
  if (bytes === null) return null;
  refuseIrregular(places.backup);
  try {
    return Marker.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    // Incomplete: another start is creating it, or was interrupted there; then nothing else was touched yet.
    if (Date.now() - statSync(places.marker).mtimeMs < makingMs)
      throw new AgentError(
        `another run is starting in this folder ("${places.marker}"). Try again in a few seconds.`,
      );
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

/**
 * `before` is the former content of the file. The run keeps it in memory, too, because its agent may delete
 * files that do not belong to its project.
 */
function undo(places: Places, marker: Marker, before = readOrNull(places.backup)): string | null {
  const said = marker.state === 'registered' ? restoreFile(places, marker, before) : null;
  if (marker.exclusion) include(marker.exclusion);
  rmSync(places.backup, { force: true });
  if (existsSync(dirname(places.marker))) syncFolderSync(dirname(places.marker));
  rmSync(places.marker, { force: true });
  return said;
}

/** Returns a sentence for the person if the file is not as before. */
function restoreFile({ file, former }: Places, marker: Marker, before: Buffer | null): string | null {
  if (!existsSync(dirname(file))) return `"${dirname(file)}" no longer exists, so nothing was restored there`;
  const present = readOrNull(file);
  if (present === null ? marker.isTracked === true : before?.equals(present)) return null;
  if (present !== null && hashOf(present) !== marker.writtenHash)
    return leaveChanged(file, former, present, before);
  if (marker.mode === null) rmSync(file, { force: true });
  else if (before !== null) replaceFileSync(file, before, marker.mode);
  else
    return `"${file}" cannot be restored because its backup is missing. Remove the entry "${entryName}" from it.`;
  return null;
}

/** The file belongs to whoever wrote it last, for example another branch of a repository. */
function leaveChanged(file: string, former: string, present: Buffer, before: Buffer | null): string {
  if (before !== null) replaceFileSync(former, before, 0o600);
  return [
    `"${file}" was changed during the run and was left as it is.`,
    ...(holdsEntry(present) ? [`Remove the entry "${entryName}" from it.`] : []),
    ...(before === null ? [] : [`The version from before the run is in "${former}".`]),
  ].join(' ');
}

const Registered = z.object({
  mcpServers: z.object({ [entryName]: z.object({ env: z.object({ [keyVariable]: z.string() }) }) }),
});

function holdsEntry(bytes: Buffer): boolean {
  try {
    return Registered.safeParse(JSON.parse(bytes.toString('utf8'))).success;
  } catch {
    return false;
  }
}

/**
 * The marker, the backup, and the link may come from an untrusted source, together with the folder. Through a
 * link out of the folder, a run therefore restores a file only if the file contains the entry of a run.
 * @throws AgentError for any other file.
 */
function refuseForeign(cwd: string, { file, marker: path, backup }: Places, marker: Marker): void {
  if (file.startsWith(realpathSync(cwd) + sep)) return;
  const present = readOrNull(file);
  const isOurs = present !== null && hashOf(present) === marker.writtenHash && holdsEntry(present);
  const isBack = present !== null && readOrNull(backup)?.equals(present);
  if (isOurs || isBack) return;
  throw new AgentError(
    `"${join(cwd, registryName)}" is a link to "${file}", which changed after the last run. If you trust "${backup}", copy it there; then delete "${path}".`,
  );
}

/** Another run has the file. */
export class FolderTaken extends AgentError {}

/** Null for none. @throws FolderTaken if its run is active. */
function deadMarker(places: Places): Marker | null {
  const marker = readMarker(places);
  if (marker !== null && isAlive(marker))
    throw new FolderTaken(
      `an agent of ${marker.member} is already running in this folder (process ${marker.pid}). Stop it, or use another folder.`,
    );
  return marker;
}

/**
 * Restores what a killed run left behind, also one of an earlier version. Returns a sentence if it did. @throws AgentError if a run is
 * active there.
 */
export function recoverRegistry(cwd: string, keptDir: string): string | null {
  const places = placesIn(cwd, keptDir);
  const earlier = earlierPlacesIn(cwd, places);
  return (
    recoverAt(earlier, (marker) => refuseForeign(cwd, earlier, marker)) ?? recoverAt(places, () => undefined)
  );
}

/** `check` may refuse the marker of a registered run. */
function recoverAt(places: Places, check: (marker: Marker) => void): string | null {
  if (deadMarker(places) === null) return null;
  return withRecoveryClaim(places.claim, () => {
    // Another start may have been faster, and its marker is a different one.
    const marker = deadMarker(places);
    if (marker === null) return null;
    if (marker.state === 'registered') check(marker);
    return undo(places, marker) ?? `restored "${places.file}" after a run that was interrupted`;
  });
}

/** @throws AgentError, with everything as it was; FolderTaken if another run has the file. */
export function registerBridge(request: RegistryRequest): Registration {
  const { cwd, member, bridge, keptDir } = request;
  const places = placesIn(cwd, keptDir);
  // Writing through it would create a file elsewhere, and writing over it would lose the link.
  if (isLink(places.file))
    throw new AgentError(
      `"${places.file}" is a link to a file that does not exist. Create the file, or delete the link.`,
    );
  const marker: Marker = {
    schema: 1,
    ...ownIdentity(),
    member,
    state: 'preparing',
    mode: null,
    writtenHash: null,
  };
  const textOf = (one: Marker): Buffer => Buffer.from(JSON.stringify(one));
  // The remains of a killed run of an earlier version, beside the file, come first.
  if (lstatSync(earlierPlacesIn(cwd, places).marker, { throwIfNoEntry: false }) !== undefined)
    recoverRegistry(cwd, keptDir);
  try {
    mkdirSync(keptDir, { recursive: true, mode: 0o700 });
    createFileSync(places.marker, textOf(marker), 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(places.marker, error);
    // Another start came first.
    recoverRegistry(cwd, keptDir);
    return registerBridge(request);
  }
  let active = marker;
  let before: Buffer | null = null;
  try {
    before = readOrNull(places.file);
    const written = withEntry(places.file, before, bridge);
    const mode = before === null ? null : statSync(places.file).mode & 0o777;
    rmSync(places.backup, { force: true });
    if (before !== null) createFileSync(places.backup, before, mode ?? 0o600);
    const view = gitViewOf(places.file);
    const exclusion = view?.isTracked === false ? view.exclusion : null;
    const isTracked = view?.isTracked === true;
    active = { ...marker, state: 'registered', mode, writtenHash: hashOf(written), isTracked, exclusion };
    replaceFileSync(places.marker, textOf(active), 0o600);
    if (exclusion !== null) exclude(exclusion);
    // The entry contains the run's key.
    replaceFileSync(places.file, written, 0o600);
  } catch (error) {
    undo(places, active, before);
    throw error instanceof AgentError ? error : unwritable(places.file, error);
  }
  let isRestored = false;
  return {
    path: places.file,
    restore() {
      if (isRestored) return null;
      isRestored = true;
      return undo(places, active, before);
    },
  };
}

const unwritable = (path: string, error: unknown): AgentError =>
  new AgentError(
    `"${path}" cannot be written (${codeOf(error) ?? 'unknown cause'}). Check its owner and mode.`,
  );
