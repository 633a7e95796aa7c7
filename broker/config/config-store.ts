/** The one owner of svc.json (specification "Team configuration file"; D15): loaded once, changed one write at a time. */
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

/** Something of the configuration that does not work, while the rest does. `field` is a secret's field, or `mode`. */
export interface ConfigProblem {
  field: string;
  message: string;
}

export interface ConfigStore {
  readonly path: string;
  /** Null: there is no file, the broker is not set up. Never mutated: each change makes another object. */
  readonly current: SvcConfig | null;
  /** Plaintext secrets migrated at this load. */
  readonly migrated: number;
  /** As of now: a secret that is replaced is no problem any more. */
  readonly problems: readonly ConfigProblem[];
  /**
   * First set-up. Refuses `conflict` when there is a configuration, also when one appeared on disk meanwhile;
   * `bad_request` when it is not valid; `unavailable` when it cannot be written.
   */
  create(config: SvcConfig): Promise<SvcConfig>;
  /**
   * One change, after those before it, on disk before it shows in `current`. `change` gets a copy and may alter or spread
   * it; what it throws rejects the update. `permissions` are resolved anew. Refuses `bad_request` when the result is
   * not valid, `unavailable` when the broker is not set up, when the file changed on disk since it was loaded (until
   * a restart) and when it cannot be written; `current` then stays as it was.
   */
  update(change: (config: SvcConfig) => SvcConfig): Promise<SvcConfig>;
  /** The plaintext of an envelope; null when the key, or the field, is not the one it was sealed with. */
  secret(envelope: Envelope, field: string): string | null;
  seal(plaintext: string, field: string): Envelope;
  /** A path written in the file as an absolute one: relative ones start at the file's folder. */
  resolvePath(written: string): string;
}

/** Loads the file, migrating plaintext secrets. Throws StartUpError (78) naming file, path and reason when it cannot be used. */
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
  const inTurn = createSerialQueue();

  function admit(config: SvcConfig): { config: SvcConfig; text: string } {
    const admission = admitConfig(config, sealField);
    if ('faults' in admission) {
      refuse('bad_request', `The configuration would not be valid: ${summary(admission.faults)}.`);
    }
    return { config: admission.config, text: serialise(admission.config) };
  }

  function accept(config: SvcConfig, text: string): SvcConfig {
    current = config;
    content = Buffer.from(text);
    isExposed = false;
    return config;
  }

  /** Bytes are compared, not times: a copy tool or a touch alone loses nobody's change. */
  async function refuseIfChangedOutside(): Promise<void> {
    const onDisk = changedOutside ? null : await readFile(path).catch(() => null);
    if (onDisk && content?.equals(onDisk)) return;
    changedOutside = true;
    refuse(
      'unavailable',
      'The configuration file was changed on disk since the broker loaded it: restart the broker to take that in, then try again.',
    );
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
          refuse('conflict', 'The team is set up already; its configuration was left as it is.');
        }
        const next = admit(config);
        const made = await createPrivateFile(path, next.text).catch(refuseUnwritten);
        if (!made) {
          refuse(
            'conflict',
            'A configuration file appeared since the broker started; it was left as it is. Restart the broker to use it.',
          );
        }
        return accept(next.config, next.text);
      }),
    update: (change) =>
      inTurn(async () => {
        if (!current) refuse('unavailable', 'The broker is not set up yet.');
        await refuseIfChangedOutside();
        const next = admit(change(structuredClone(current)));
        await replacePrivateFile(path, next.text).catch(refuseUnwritten);
        return accept(next.config, next.text);
      }),
    secret: (envelope, field) => open(key, envelope, field),
    seal: sealField,
    resolvePath: (written) => resolve(dirname(path), written),
  };
}

function refuseUnwritten(error: unknown): never {
  refuse(
    'unavailable',
    `The configuration file cannot be written (${codeText(error)}) and nothing was changed: make room for it, or make it and its folder writable, and try again.`,
  );
}

function unopenable(
  config: SvcConfig,
  openField: (envelope: Envelope, field: string) => string | null,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const check = (envelope: Envelope | undefined, field: string, remedy: string) => {
    if (!envelope || openField(envelope, field) !== null) return;
    const message = `${field} cannot be decrypted with this key and is kept as it is: restore the key file it was made with, or ${remedy}.`;
    problems.push({ field, message });
  };
  for (const member of config.store.members) {
    check(member.totpSecret, totpField(member.name), `enrol TOTP again for ${member.name}`);
  }
  check(config.webPush?.vapidPrivateKey, vapidField, 'run svc setup --new-vapid');
  return problems;
}

function exposed(path: string): ConfigProblem {
  return {
    field: 'mode',
    message: `Others on this machine may read ${path} and its mode cannot be changed: set it to 0600.`,
  };
}
