/**
 * The keys of brokers that this person has confirmed, one per address: `pins.json` beside the bearer cache. A
 * pin is of the certificate's public key, so a renewal with the same key is accepted and another key is not
 * (specification/configuration.md#certificates).
 */
import { readFile } from 'node:fs/promises';
import { codeOf } from '#platform/error-text.ts';
import { withFileLock } from '#platform/file-lock.ts';
import { followLink, makeFolderOf, replacePrivateFile } from '#platform/private-file.ts';
import { ConnectionError } from './connection-error.ts';
import { fieldsOf, isInstant, parsedJson } from './untrusted-json.ts';

interface Pin {
  url: string;
  fingerprint: string;
  /** Epoch ms. */
  savedAt: number;
}

interface PinFile {
  schema: 1;
  pins: Pin[];
}

/** `sha256:` and 64 hex digits. */
export const isFingerprint = (value: unknown): value is string =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);

function isPin(value: unknown): value is Pin {
  const { url, fingerprint, savedAt } = fieldsOf(value);
  return typeof url === 'string' && isFingerprint(fingerprint) && isInstant(savedAt);
}

function isPinFile(value: unknown): value is PinFile {
  const { schema, pins } = fieldsOf(value);
  return schema === 1 && Array.isArray(pins) && pins.every(isPin);
}

export interface Pins {
  readonly path: string;
  /**
   * Returns the pin of exactly this address. @throws ConnectionError `cache` if the file is damaged or
   * unreadable.
   */
  find(url: string): Promise<string | undefined>;
  save(url: string, fingerprint: string): Promise<void>;
}

export function createPins(options: { path: string; clock?: () => number }): Pins {
  const { path, clock = Date.now } = options;
  return {
    path,
    async find(url) {
      return (await readPins(path)).pins.findLast((pin) => pin.url === url)?.fingerprint;
    },
    async save(url, fingerprint) {
      const target = await followLink(path);
      await makeFolderOf(target);
      await withFileLock(`${target}.lock`, async () => {
        const file = await readPins(target);
        const pins = [...file.pins.filter((pin) => pin.url !== url), { url, fingerprint, savedAt: clock() }];
        await replacePrivateFile(target, `${JSON.stringify({ ...file, pins }, null, 2)}\n`);
      });
    },
  };
}

/**
 * A damaged file is never treated as an empty one, because then any certificate would be accepted as the
 * first.
 */
async function readPins(path: string): Promise<PinFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { schema: 1, pins: [] };
    throw new ConnectionError(
      'cache',
      `"${path}" cannot be read (${codeOf(error)})`,
      'check its owner and mode',
    );
  }
  const parsed = parsedJson(text);
  if (isPinFile(parsed)) return parsed;
  throw new ConnectionError(
    'cache',
    `"${path}" is damaged and was left as it is`,
    'repair it, or delete it and confirm the fingerprint of each broker again',
  );
}
