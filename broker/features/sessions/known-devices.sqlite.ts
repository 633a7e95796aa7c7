/** Browsers from which a member has logged in, in the main store (specification/authentication.md#login-limits). */
import type Database from 'better-sqlite3';
import type { AsyncUnits } from '../../storage/units.ts';

export interface KnownDevice {
  /** `sha256:<hex>` of the cookie. */
  hash: string;
  member: string;
  /** Its last login. */
  lastUsedAt: number;
}

/** For units that end what a member opened. */
export function knownDeviceRows(db: Database.Database) {
  const removeOf = db.prepare<[string]>('DELETE FROM known_device WHERE member = ?');
  return { removeOf: (member: string): void => void removeOf.run(member) };
}

export function knownDeviceUnits(db: Database.Database) {
  const since = db.prepare<[number], KnownDevice>(
    'SELECT hash, member, last_used_at AS lastUsedAt FROM known_device WHERE last_used_at > ?',
  );
  const removeUpTo = db.prepare<[number]>('DELETE FROM known_device WHERE last_used_at <= ?');
  const put = db.prepare<KnownDevice>(
    `INSERT INTO known_device (hash, member, last_used_at) VALUES (:hash, :member, :lastUsedAt)
     ON CONFLICT (hash) DO UPDATE SET last_used_at = excluded.last_used_at`,
  );
  const remove = db.prepare<[string]>('DELETE FROM known_device WHERE hash = ?');
  return {
    reads: {},
    upkeep: {
      knownDevicesSince: (time: number): KnownDevice[] => since.all(time),
    },
    writes: {
      /** Stores one device, and removes those that make room for it. */
      putKnownDevice: ({ device, remove: hashes }: { device: KnownDevice; remove: string[] }): void => {
        put.run(device);
        for (const hash of hashes) remove.run(hash);
      },
      removeKnownDevicesUpTo: (time: number): void => void removeUpTo.run(time),
    },
  };
}
export type KnownDeviceUnits = AsyncUnits<typeof knownDeviceUnits>;
