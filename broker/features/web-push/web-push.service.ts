/**
 * Browser push (specification/web-push.md). Subscriptions are also held in memory, so that a message to
 * members without one costs nothing.
 */
import { randomUUID } from 'node:crypto';
import { refuse } from '#protocol/errors.ts';
import type { Message } from '#protocol/message.ts';
import type {
  PushSubscription,
  PushSubscriptionInfo,
  PushSubscriptionList,
  PushSubscriptionRequest,
  VapidPublicKey,
} from '#protocol/web-push.ts';
import { vapidField } from '../../config/admit-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Actor } from '../../runtime/actor.ts';
import { createBoundedWarnings } from '../../runtime/bounded-warnings.ts';
import type { Clock } from '../../runtime/clock.ts';
import { deviceLabel } from '../../runtime/device-label.rules.ts';
import type { Expiries } from '../../runtime/expiries.ts';
import type { Log } from '../../runtime/log.ts';
import type { Outbound } from '../../runtime/outbound-fetch.ts';
import type { VapidKeys } from '../../security/vapid.ts';
import type { Members } from '../members/members.service.ts';
import { createPushQueue } from './push-queue.ts';
import { isUsableKey, sendPush } from './push-request.ts';
import {
  fateOf,
  isRefusalOfKey,
  type PushFate,
  pushPayload,
  pushTargets,
  type Readers,
} from './web-push.rules.ts';
import type { Subscription, WebPushUnits } from './web-push.sqlite.ts';

export interface WebPush {
  /** @throws BrokerError not_found without a usable `webPush` block. */
  publicKey(): VapidPublicKey;
  /**
   * The subscription belongs to the caller's credential. @throws BrokerError unauthenticated if that ended while
   * the subscription was stored.
   */
  subscribe(actor: Actor, request: PushSubscriptionRequest, by: Subscriber): Promise<PushSubscription>;
  /** Returns the caller's own subscriptions, oldest first. */
  list(actor: Actor): PushSubscriptionList;
  /** Ends what this token, session, or JWT subscribed: nothing more is sent. */
  endOf(credentialId: string): void;
  /** @throws BrokerError not_found for an id that is not the member's own. */
  unsubscribe(member: string, id: string): Promise<void>;
  /**
   * Call it after the commit; it returns at once. `readers` are those who can read the message, and
   * `concerned` those whom it is about.
   */
  onAccepted(message: Message, readers: Readers, concerned?: readonly string[]): void;
  /** The member is gone, with its rows. */
  forgetMember(member: string): void;
  /**
   * Reads the rows, and drops those whose credential is gone or that were made for another VAPID key. Call it when tokens and sessions are loaded.
   * `isLive`: whether there is such a token or session.
   */
  load(isLive: (plane: 'bearer' | 'session', credentialId: string) => boolean): Promise<void>;
  /** How many attempts ended each way since the start. */
  readonly results: Readonly<Record<PushFate, number>>;
  /** Writes when messages were last delivered. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The client that subscribes. */
export interface Subscriber {
  userAgent: string | undefined;
  /** @throws BrokerError if the caller's credential has ended. */
  confirm: () => Promise<unknown>;
}

export interface WebPushDeps {
  units: WebPushUnits;
  clock: Clock;
  config: Pick<ConfigStore, 'current' | 'secret'>;
  members: Members;
  outbound: Outbound;
  expiries: Pick<Expiries, 'set' | 'delete'>;
  /** A write failed that the next start makes up for. */
  onWriteDeferred: (error: unknown) => void;
  log: Log;
}

const expiryOf = (id: string): string => `push:${id}`;

function subscriptionInfo(subscription: Subscription, callerCredentialId: string): PushSubscriptionInfo {
  const { id, endpoint, device, createdAt, lastSuccessAt, lastFailureAt, plane, credentialId } = subscription;
  return {
    id,
    host: new URL(endpoint).host,
    device,
    createdAt,
    lastSuccessAt,
    lastFailureAt,
    credential: { plane, id: credentialId },
    current: credentialId === callerCredentialId,
  };
}

export function createWebPush(deps: WebPushDeps): WebPush {
  const { units, clock, config, members, outbound, expiries, onWriteDeferred, log } = deps;
  const warn = createBoundedWarnings(log, clock);
  const subscriptionById = new Map<string, Subscription>();
  const idsByMember = new Map<string, Set<string>>();
  const results: Record<PushFate, number> = { delivered: 0, gone: 0, retry: 0, dropped: 0 };
  /** Subscriptions whose last delivery is not in their row yet. */
  const delivered = new Set<string>();
  let opened: { block: object; keys: VapidKeys | null } | null = null;

  /** Null without the block, or if its private key was sealed with another key-encryption key. */
  function vapidKeys(): VapidKeys | null {
    const block = config.current?.webPush;
    if (block === undefined) return null;
    if (opened?.block !== block) {
      const privateKey = config.secret(block.vapidPrivateKey, vapidField);
      opened = { block, keys: privateKey === null ? null : { publicKey: block.vapidPublicKey, privateKey } };
    }
    return opened.keys;
  }

  function forget(id: string): void {
    const subscription = subscriptionById.get(id);
    if (subscription === undefined) return;
    queue.drop(id);
    subscriptionById.delete(id);
    delivered.delete(id);
    expiries.delete(expiryOf(id));
    const ids = idsByMember.get(subscription.member);
    ids?.delete(id);
    if (ids?.size === 0) idsByMember.delete(subscription.member);
  }

  function remember(subscription: Subscription): void {
    const { id, member, expiresAt } = subscription;
    // Pushes that wait for another member must not reach this one.
    if (subscriptionById.get(id)?.member !== member) forget(id);
    subscriptionById.set(id, subscription);
    idsByMember.set(member, (idsByMember.get(member) ?? new Set()).add(id));
    expiries.set(expiryOf(id), expiresAt, () => end([id]));
  }

  /** Ended at once; a row that stays is removed at the next start. */
  function end(ids: string[]): void {
    for (const id of ids) forget(id);
    if (ids.length > 0) units.removePushSubscriptions({ ids }).catch(onWriteDeferred);
  }

  const idsOf = (isMeant: (subscription: Subscription) => boolean): string[] =>
    [...subscriptionById.values()].filter(isMeant).map(({ id }) => id);

  /** Push services refuse every message for a subscription that was made for another key. */
  function endOfOtherKeys(): void {
    const present = config.current?.webPush?.vapidPublicKey;
    if (present === undefined) return;
    const ids = idsOf(({ vapidKey }) => vapidKey !== null && vapidKey !== present);
    if (ids.length === 0) return;
    const owners = new Set(ids.map((id) => subscriptionById.get(id)?.member));
    log.warn(
      { subscriptions: ids.length, members: owners.size },
      'the push subscriptions of an earlier VAPID key ended; their members get notifications again once they open the console',
    );
    end(ids);
  }

  function noteDelivery(id: string, fate: PushFate, { publicKey }: VapidKeys): void {
    const subscription = subscriptionById.get(id);
    if (subscription === undefined) return;
    results[fate] += 1;
    if (fate === 'delivered') {
      subscription.lastSuccessAt = clock();
      subscription.vapidKey = publicKey;
    } else subscription.lastFailureAt = clock();
    delivered.add(id);
  }

  const queue = createPushQueue({
    clock,
    memberOf: (id) => subscriptionById.get(id)?.member ?? null,
    send: async (id, payload, signal) => {
      const subscription = subscriptionById.get(id);
      const keys = vapidKeys();
      if (subscription === undefined || keys === null || members.find(subscription.member) === undefined)
        return null;
      const reply = await sendPush(outbound, keys, subscription, payload, signal);
      const isKeyProven = subscription.vapidKey === keys.publicKey && subscription.lastSuccessAt !== null;
      const fate = reply.refused ? 'dropped' : fateOf(reply.status, isKeyProven);
      noteDelivery(id, fate, keys);
      if (fate === 'gone' && isRefusalOfKey(reply.status))
        warn(
          { subscription: id, status: reply.status },
          'a push subscription ended, because its push service refuses the VAPID key',
        );
      return { ...reply, fate };
    },
    onGone: async (id) => {
      forget(id);
      await units.removePushSubscriptions({ ids: [id] });
    },
    onDropped: (subscription, why) => warn({ subscription, why }, 'a push message was dropped'),
  });

  return {
    publicKey() {
      const keys = vapidKeys() ?? refuse('web_push_off');
      return { publicKey: keys.publicKey };
    },
    async subscribe(actor, { endpoint: written, keys }, { userAgent, confirm }) {
      const fault = outbound.faultOf(written);
      if (fault !== null) refuse('push_endpoint_invalid', { fault });
      const p256dh = keys.p256dh.replaceAll('=', '');
      if (!isUsableKey(p256dh)) refuse('push_key_invalid');
      const subscription = await units.putPushSubscription({
        id: randomUUID(),
        member: actor.name,
        endpoint: new URL(written).href,
        p256dh,
        auth: keys.auth.replaceAll('=', ''),
        createdAt: clock(),
        credentialId: actor.credentialId,
        plane: actor.plane,
        expiresAt: actor.plane === 'jwt' ? actor.expiresAt : null,
        device: deviceLabel(userAgent),
        lastSuccessAt: null,
        lastFailureAt: null,
        vapidKey: config.current?.webPush?.vapidPublicKey ?? null,
      });
      remember(subscription);
      // A credential that ended while the row was written could not end the subscription.
      await confirm().catch((error: unknown) => {
        end([subscription.id]);
        throw error;
      });
      const { id, endpoint, createdAt } = subscription;
      return { id, endpoint, createdAt };
    },
    async unsubscribe(member, id) {
      if (subscriptionById.get(id)?.member !== member) refuse('unknown_subscription');
      await units.removePushSubscriptions({ ids: [id] });
      forget(id);
    },
    list: ({ name, credentialId }) => ({
      subscriptions: [...subscriptionById.values()]
        .filter(({ member }) => member === name)
        .sort((a, b) => a.createdAt - b.createdAt)
        .map((subscription) => subscriptionInfo(subscription, credentialId)),
    }),
    endOf: (credentialId) => end(idsOf((one) => one.credentialId === credentialId)),
    onAccepted(message, readers, concerned) {
      if (idsByMember.size === 0 || vapidKeys() === null) return;
      const targets = pushTargets(message, readers, idsByMember.keys(), concerned);
      if (targets.length === 0) return;
      const payload = pushPayload(message);
      for (const name of targets) for (const id of idsByMember.get(name) ?? []) queue.add(id, payload);
    },
    forgetMember(member) {
      for (const id of [...(idsByMember.get(member) ?? [])]) forget(id);
    },
    async load(isLive) {
      let after = '';
      for (;;) {
        const page = await units.pushSubscriptionsAfter({ id: after });
        const last = page.at(-1);
        if (last === undefined) break;
        for (const subscription of page) remember(subscription);
        after = last.id;
      }
      if (config.current === null) return;
      for (const member of [...idsByMember.keys()]) {
        if (members.find(member) !== undefined) continue;
        for (const id of [...(idsByMember.get(member) ?? [])]) forget(id);
        await units.removePushSubscriptionsOf({ member });
      }
      endOfOtherKeys();
      const now = clock();
      end(
        idsOf(({ plane, credentialId, expiresAt }) =>
          plane === 'jwt' ? (expiresAt ?? 0) <= now : !isLive(plane, credentialId),
        ),
      );
    },
    results,
    async flush() {
      const rows = [...delivered].flatMap((id) => subscriptionById.get(id) ?? []);
      delivered.clear();
      if (rows.length === 0) return;
      await units.touchPushSubscriptions(
        rows.map(({ id, lastSuccessAt, lastFailureAt, vapidKey }) => ({
          id,
          lastSuccessAt,
          lastFailureAt,
          vapidKey,
        })),
      );
    },
    close: () => queue.close(),
  };
}
