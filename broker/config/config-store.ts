/**
 * The only owner of svc.json: it is loaded once and changed by one write at a time
 * (specification/configuration.md#svcjson).
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeText } from '#platform/error-text.ts';
import { createPrivateFile, removeLeftovers, replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { refuse } from '#protocol/errors.ts';
import { type Envelope, open, seal } from '../security/envelope.ts';
import { admitConfig, type Seal, totpField, vapidField } from './admit-config.ts';
import type { Kek } from './kek-file.ts';
import { loadConfig, serialise, summary } from './load-config.ts';
import type { SvcConfig } from './svc-config.ts';

/**
 * A part of the configuration that does not work while the rest does. `field` is a secret's field, or `mode`.
 */
export interface ConfigProblem {
  field: string;
  message: string;
}

export interface ConfigStore {
  readonly path: string;
  /**
   * Null: there is no file, so the broker is not set up. Never mutated: each change creates another object.
   */
  readonly current: SvcConfig | null;
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
   * Makes one change, after those before it, and shows it in `current` once it is on disk. `change` gets a
   * copy and may alter or spread it; what it throws rejects the update. `permissions` are resolved again.
   * Refuses with `bad_request` if the result is invalid, and with `unavailable` if the broker is not set up,
   * if the file changed on disk after it was loaded (until a restart), or if it cannot be written; `current`
   * then stays as it was.
   */
  update(change: (config: SvcConfig) => SvcConfig): Promise<SvcConfig>;
  /**
   * Calls the listener after each write, before the write resolves and before the next one begins. The
   * listener never rejects.
   */
  onWritten(listener: (config: SvcConfig) => Promise<void>): void;
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
export async function openConfig(options: { path: string; kek: Kek }): Promise<ConfigStore> {
  const { path } = options;
  const { key } = options.kek;
  const sealField: Seal = (plaintext, field) => seal(key, plaintext, field);
  await removeLeftovers(path);
  const loaded = await loadConfig(path, sealField);

  let current = loaded?.config ?? null;
  let content = loaded?.content ?? null;
  let isExposed = loaded?.isExposed ?? false;
  let changedOutside = false;
  let written: (config: SvcConfig) => Promise<void> = async () => undefined;
  const inTurn = createSerialQueue();

  function admit(config: SvcConfig): { config: SvcConfig; text: string } {
    const admission = admitConfig(config, sealField);
    if ('faults' in admission) {
      refuse('configuration_invalid', { faults: summary(admission.faults) });
    }
    return { config: admission.config, text: serialise(admission.config) };
  }

  async function accept(config: SvcConfig, text: string): Promise<SvcConfig> {
    current = config;
    content = Buffer.from(text);
    isExposed = false;
    await written(config);
    return config;
  }

  /** Bytes are compared, not times, so that a copy tool or `touch` alone causes no refusal. */
  async function refuseIfChangedOutside(): Promise<void> {
    const onDisk = changedOutside ? null : await readFile(path).catch(() => null);
    if (onDisk && content?.equals(onDisk)) return;
    changedOutside = true;
    refuse('configuration_changed');
  }

  return {
    path,
    migrated: loaded?.migrated ?? 0,
    get current() {
      return current;
    },
    get problems() {
      const problems = current ? unopenable(current, (envelope, field) => open(key, envelope, field)) : [];
      return isExposed ? [...problems, exposed(path)] : problems;
    },
    create: (config) =>
      inTurn(async () => {
        if (current) {
          refuse('already_set_up');
        }
        const next = admit(config);
        const made = await createPrivateFile(path, next.text).catch(refuseUnwritten);
        if (!made) {
          refuse('configuration_appeared');
        }
        return accept(next.config, next.text);
      }),
    update: (change) =>
      inTurn(async () => {
        if (!current) refuse('not_set_up');
        await refuseIfChangedOutside();
        const next = admit(change(structuredClone(current)));
        await replacePrivateFile(path, next.text).catch(refuseUnwritten);
        return accept(next.config, next.text);
      }),
    onWritten(listener) {
      written = listener;
    },
    secret: (envelope, field) => open(key, envelope, field),
    seal: sealField,
    resolvePath: (written) => resolve(dirname(path), written),
  };
}

function refuseUnwritten(error: unknown): never {
  refuse('configuration_unwritable', { file: 'configuration', cause: codeText(error) });
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
  check(config.webPush?.vapidPrivateKey, vapidField, 'run "svc setup --new-vapid"');
  return problems;
}

function exposed(path: string): ConfigProblem {
  return {
    field: 'mode',
    message: `Others on this machine may read "${path}", and the broker cannot change its mode. Set the mode to 0600.`,
  };
}
