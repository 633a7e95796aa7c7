/** Browser push subscriptions in the main store (specification/web-push.md#subscriptions). */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';

export interface Subscription {
  /** A UUID. */
  id: string;
  member: string;
  /** Anyone who knows it can send to that browser's queue, so it is never logged. */
  endpoint: string;
  /** base64url without padding. */
  p256dh: string;
  auth: string;
  createdAt: number;
  /** The token, session, or JWT that made it, and with which it ends. */
  credentialId: string;
  plane: Actor['plane'];
  /** When the JWT that made it ends; null for a token and a session, which end by themselves. */
  expiresAt: number | null;
  /** In plain words (device-label.rules.ts). */
  device: string;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  /** The VAPID public key under which it was made; null for an older one, until a message is delivered. */
  vapidKey: string | null;
}

/** The columns that a delivery changes in a row. */
export type Delivered = Pick<Subscription, 'id' | 'lastSuccessAt' | 'lastFailureAt' | 'vapidKey'>;

const columns = `id, member, endpoint, p256dh, auth, created_at AS createdAt, credential_id AS credentialId, plane,
  expires_at AS expiresAt, device, last_success_at AS lastSuccessAt, last_failure_at AS lastFailureAt, vapid_key AS vapidKey`;

export function webPushUnits(db: Database.Database) {
  const page = db.prepare<[string], Subscription>(
    `SELECT ${columns} FROM push_subscription WHERE id > ? ORDER BY id LIMIT 1000`,
  );
  const byEndpoint = db.prepare<[string], Subscription>(
    `SELECT ${columns} FROM push_subscription WHERE endpoint = ?`,
  );
  const countOf = db
    .prepare<[string], number>('SELECT count(*) FROM push_subscription WHERE member = ?')
    .pluck();
  const insert = db.prepare<Subscription>(
    `INSERT INTO push_subscription (id, member, endpoint, p256dh, auth, created_at, credential_id, plane, expires_at,
       device, last_success_at, last_failure_at, vapid_key)
     VALUES (:id, :member, :endpoint, :p256dh, :auth, :createdAt, :credentialId, :plane, :expiresAt,
       :device, :lastSuccessAt, :lastFailureAt, :vapidKey)`,
  );
  const bind = db.prepare<Subscription>(
    `UPDATE push_subscription SET member = :member, credential_id = :credentialId, plane = :plane,
       expires_at = :expiresAt, device = :device WHERE id = :id`,
  );
  const touch = db.prepare<Delivered>(
    `UPDATE push_subscription SET last_success_at = :lastSuccessAt, last_failure_at = :lastFailureAt,
       vapid_key = :vapidKey WHERE id = :id`,
  );
  const remove = db.prepare<[string]>('DELETE FROM push_subscription WHERE id = ?');
  const removeOf = db.prepare<[string]>('DELETE FROM push_subscription WHERE member = ?');
  return {
    reads: {},
    upkeep: {
      pushSubscriptionsAfter: (input: { id: string }): Subscription[] => page.all(input.id),
    },
    writes: {
      /** The same endpoint with the same keys moves to the caller, a shared browser, and to its credential. */
      putPushSubscription: (wanted: Subscription): Subscription => {
        const present = byEndpoint.get(wanted.endpoint);
        if (present !== undefined && (present.p256dh !== wanted.p256dh || present.auth !== wanted.auth)) {
          refuse('push_endpoint_taken');
        }
        const isNew = present?.member !== wanted.member;
        if (isNew && (countOf.get(wanted.member) ?? 0) >= limits.pushSubscriptions) {
          refuse('too_many_subscriptions', { max: limits.pushSubscriptions });
        }
        if (present === undefined) {
          insert.run(wanted);
          return wanted;
        }
        const { member, credentialId, plane, expiresAt, device } = wanted;
        const bound = { ...present, member, credentialId, plane, expiresAt, device };
        bind.run(bound);
        return bound;
      },
      touchPushSubscriptions: (delivered: Delivered[]): void => {
        for (const one of delivered) touch.run(one);
      },
      removePushSubscriptions: (input: { ids: string[] }): void => {
        for (const id of input.ids) remove.run(id);
      },
      removePushSubscriptionsOf: (input: { member: string }): void => void removeOf.run(input.member),
    },
  };
}
export type WebPushUnits = AsyncUnits<typeof webPushUnits>;
