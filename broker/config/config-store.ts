/**
 * The only owner of svc.json: it is loaded once and changed by one write at a time
 * (specification/configuration.md#svcjson).
 */
import { dirname, resolve } from 'node:path';
import { createGroupedWork } from '#platform/grouped-work.ts';
import { isMountedFile, mountFolderInstead } from '#platform/mounted-file.ts';
import {
  createPrivateFile,
  isContentOf,
  removeLeftovers,
  replacePrivateFile,
} from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { refuse } from '#protocol/errors.ts';
import { type Envelope, open, seal } from '../security/envelope.ts';
import { admitChange } from './admit-change.ts';
import { admitConfig, type Seal, totpField, vapidField } from './admit-config.ts';
import { createConfigText } from './config-text.ts';
import { deepFrozen } from './deep-frozen.ts';
import type { Kek } from './kek-file.ts';
import { loadConfig, summary } from './load-config.ts';
import { type MemberChanges, memberChanges } from './member-changes.rules.ts';
import { createMemberIndex } from './member-index.ts';
import { refuseUnwritten } from './refuse-unwritten.ts';
import type { ConfigMember, SvcConfig } from './svc-config.ts';

/** Each takes a part of a millisecond of the serving thread. */
const changesPerWrite = 16;

/**
 * A part of the configuration that does not work while the rest does. `field` is a secret's field, `mode`, or
 * `mount`.
 */
export interface ConfigProblem {
  field: string;
  message: string;
}

/** The result of one change. */
export interface ConfigChange {
  readonly config: SvcConfig;
  readonly members: MemberChanges<ConfigMember>;
}

export interface ConfigStore {
  readonly path: string;
  /**
   * Null: there is no file, so the broker is not set up. Frozen: each change creates another object, which
   * shares with this one whatever is unchanged.
   */
  readonly current: SvcConfig | null;
  /** The file as it was loaded or last written, in pieces; empty without one. */
  readonly content: readonly Buffer[];
  /** The number of plaintext secrets that this load migrated. */
  readonly migrated: number;
  /** The present problems: a secret that has been replaced is no longer a problem. */
  readonly problems: readonly ConfigProblem[];
  /**
   * Writes the first configuration. Refuses with `conflict` if there is a configuration, also one that
   * appeared on disk in the meantime; with `bad_request` if it is invalid; with `unavailable` if it cannot be
   * written.
   */
  create(config: SvcConfig): Promise<SvcConfig>;
  /**
   * Makes one change, after those before it, and shows it in `current` once it is on disk. `change` returns
   * another configuration that shares with the one it gets whatever is unchanged; only the rest is checked.
   * An error that it throws rejects the update. `permissions` are resolved again. Changes that wait at the same time
   * share one write. Refuses with `bad_request` if the result is invalid, and with `unavailable` if the broker
   * is not set up, if the file changed on disk after it was loaded (until a restart), or if it cannot be
   * written; `current` then stays as it was.
   */
  update(change: (config: SvcConfig) => SvcConfig): Promise<SvcConfig>;
  /**
   * Calls the listener for each change that was written, in their order, before the change resolves. The
   * listener never rejects.
   */
  onWritten(listener: (change: ConfigChange) => Promise<void>): void;
  /** Returns the plaintext of an envelope; null if it was sealed with another key or for another field. */
  secret(envelope: Envelope, field: string): string | null;
  seal(plaintext: string, field: string): Envelope;
  /** Returns a path of the file as an absolute path; relative ones start at the file's folder. */
  resolvePath(written: string): string;
}

/**
 * Loads the file and migrates plaintext secrets. @throws StartUpError (78) that names the file, path, and
 * reason if it cannot be used.
 */
export async function openConfig(options: {
  path: string;
  kek: Kek;
  /** Awaited with each content that was written, before anybody is told of the change; never rejects. */
  onReplaced?: ((content: readonly Buffer[]) => Promise<void>) | undefined;
}): Promise<ConfigStore> {
  const { path, onReplaced = async () => undefined } = options;
  const { key } = options.kek;
  const sealField: Seal = (plaintext, field) => seal(key, plaintext, field);
  await removeLeftovers(path);
  const loaded = await loadConfig(path, sealField);

  let current = loaded === null ? null : frozen(loaded.config);
  let onDisk: readonly Buffer[] = loaded === null ? [] : [loaded.content];
  let isExposed = loaded?.isExposed ?? false;
  const isMounted = loaded !== null && isMountedFile(path);
  let changedOutside = false;
  let written: (change: ConfigChange) => Promise<void> = async () => undefined;
  const index = createMemberIndex(current?.store.members ?? []);
  const textOf = createConfigText();
  const inTurn = createSerialQueue();

  function admit(config: SvcConfig): SvcConfig {
    const admission = admitConfig(config, sealField);
    if ('faults' in admission) {
      refuse('configuration_invalid', { faults: summary(admission.faults) });
    }
    return admission.config;
  }

  function admitted(before: SvcConfig | null, after: SvcConfig): ConfigChange {
    const config = (before && admitChange(before, after, sealField)) ?? admit(after);
    const members = memberChanges(before?.store.members ?? [], config.store.members);
    if (index.apply(members)) return { config: frozen(config, members.entered), members };
    // The sentence names both members.
    admit(after);
    throw new Error('two members have the same name or token, and the whole configuration is valid');
  }

  function accept(config: SvcConfig, pieces: readonly Buffer[]): void {
    current = config;
    onDisk = pieces;
    isExposed = false;
  }

  /** Bytes are compared, not times, so that a copy tool or `touch` alone causes no refusal. */
  async function refuseIfChangedOutside(): Promise<void> {
    if (!changedOutside && (await isContentOf(path, onDisk).catch(() => false))) return;
    changedOutside = true;
    refuse('configuration_changed');
  }

  type Change = (config: SvcConfig) => SvcConfig;
  /** A refusal is told when the group is on disk, because it may be due to another change of the group. */
  type Outcome = { change: ConfigChange } | { refusal: unknown };

  async function writeGroup(changes: readonly Change[]): Promise<Outcome[]> {
    if (current === null) refuse('not_set_up');
    await refuseIfChangedOutside();
    let next = current;
    const outcomes = changes.map((change): Outcome => {
      try {
        const made = admitted(next, change(next));
        next = made.config;
        return { change: made };
      } catch (refusal) {
        return { refusal };
      }
    });
    if (next === current) return outcomes;
    const pieces = textOf(next);
    try {
      await replacePrivateFile(path, pieces);
    } catch (error) {
      for (const outcome of outcomes.toReversed())
        if ('change' in outcome) index.undo(outcome.change.members);
      refuseUnwritten('configuration', path, error);
    }
    await onReplaced(pieces);
    accept(next, pieces);
    return outcomes;
  }

  const write = createGroupedWork(changesPerWrite, (changes: readonly Change[]) =>
    inTurn(() => writeGroup(changes)),
  );

  return {
    path,
    migrated: loaded?.migrated ?? 0,
    get current() {
      return current;
    },
    get content() {
      return onDisk;
    },
    get problems() {
      const problems = current ? unopenable(current, (envelope, field) => open(key, envelope, field)) : [];
      if (isExposed) problems.push(exposed(path));
      if (isMounted) problems.push(mounted(path));
      return problems;
    },
    create: (config) =>
      inTurn(async () => {
        if (current) {
          refuse('already_set_up');
        }
        const change = admitted(null, config);
        const pieces = textOf(change.config);
        const made = await createPrivateFile(path, pieces).catch((error: unknown) => {
          index.undo(change.members);
          return refuseUnwritten('configuration', path, error);
        });
        if (!made) {
          index.undo(change.members);
          refuse('configuration_appeared');
        }
        await onReplaced(pieces);
        accept(change.config, pieces);
        await written(change);
        return change.config;
      }),
    async update(change) {
      const outcome = await write(change);
      if ('refusal' in outcome) throw outcome.refusal;
      await written(outcome.change);
      return outcome.change.config;
    },
    onWritten(listener) {
      written = listener;
    },
    secret: (envelope, field) => open(key, envelope, field),
    seal: sealField,
    resolvePath: (written) => resolve(dirname(path), written),
  };
}

/**
 * Freezes the blocks and the given members; others are frozen already. The list of members is not frozen,
 * because V8 compares the entries of frozen lists several times as slowly.
 */
function frozen(config: SvcConfig, members = config.store.members): SvcConfig {
  const { store, ...blocks } = config;
  deepFrozen(blocks);
  members.forEach(deepFrozen);
  Object.freeze(store);
  return Object.freeze(config);
}

function unopenable(
  config: SvcConfig,
  openField: (envelope: Envelope, field: string) => string | null,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const check = (envelope: Envelope | undefined, field: string, remedy: string) => {
    if (!envelope || openField(envelope, field) !== null) return;
    const message = `${field} cannot be decrypted with this key and was left as it is. Restore the key file with which it was encrypted, or ${remedy}.`;
    problems.push({ field, message });
  };
  for (const member of config.store.members) {
    check(member.totpSecret, totpField(member.name), `enroll TOTP again for "${member.name}"`);
  }
  check(config.webPush?.vapidPrivateKey, vapidField, 'run "muster setup --new-vapid"');
  return problems;
}

function exposed(path: string): ConfigProblem {
  return {
    field: 'mode',
    message: `Others on this machine may read "${path}", and the broker cannot change its mode. Set the mode to 0600.`,
  };
}

function mounted(path: string): ConfigProblem {
  return {
    field: 'mount',
    message: `"${path}" is mounted as a single file, so the broker refuses every change of the team: it could only overwrite the file in place, and a crash would then leave half a file. ${mountFolderInstead(path)}`,
  };
}
