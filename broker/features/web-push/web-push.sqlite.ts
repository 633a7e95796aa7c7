/** Browser push subscriptions in the main store (specification/web-push.md#subscriptions). */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { AsyncUnits } from '../../storage/units.ts';

export interface Subscription {
  /** A UUID. */
  id: string;
  member: string;
  /** Whoever knows it can send to that browser's queue, so it is never logged. */
  endpoint: string;
  /** base64url without padding. */
  p256dh: string;
  auth: string;
  createdAt: number;
}

const columns = 'id, member, endpoint, p256dh, auth, created_at AS createdAt';

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
    `INSERT INTO push_subscription (id, member, endpoint, p256dh, auth, created_at)
     VALUES (:id, :member, :endpoint, :p256dh, :auth, :createdAt)`,
  );
  const move = db.prepare<[string, string]>('UPDATE push_subscription SET member = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM push_subscription WHERE id = ?');
  const removeOf = db.prepare<[string]>('DELETE FROM push_subscription WHERE member = ?');
  return {
    reads: {},
    upkeep: {
      pushSubscriptionsAfter: (input: { id: string }): Subscription[] => page.all(input.id),
    },
    writes: {
      /** The same endpoint with the same keys moves to the caller: a shared browser. */
      putPushSubscription: (wanted: Subscription): Subscription => {
        const present = byEndpoint.get(wanted.endpoint);
        if (present !== undefined && (present.p256dh !== wanted.p256dh || present.auth !== wanted.auth)) {
          refuse('push_endpoint_taken');
        }
        if (present?.member === wanted.member) return present;
        if ((countOf.get(wanted.member) ?? 0) >= limits.pushSubscriptions) {
          refuse('too_many_subscriptions', { max: limits.pushSubscriptions });
        }
        if (present === undefined) insert.run(wanted);
        else move.run(wanted.member, present.id);
        return present === undefined ? wanted : { ...present, member: wanted.member };
      },
      removePushSubscription: (input: { id: string }): void => void remove.run(input.id),
      removePushSubscriptionsOf: (input: { member: string }): void => void removeOf.run(input.member),
    },
  };
}
export type WebPushUnits = AsyncUnits<typeof webPushUnits>;
