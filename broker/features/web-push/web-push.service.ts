/**
 * Browser push (specification/web-push.md). Subscriptions are also held in memory, so that a message to
 * members without one costs nothing.
 */
import { randomUUID } from 'node:crypto';
import { refuse } from '#protocol/errors.ts';
import type { Message } from '#protocol/message.ts';
import type { PushSubscription, PushSubscriptionRequest, VapidPublicKey } from '#protocol/web-push.ts';
import { vapidField } from '../../config/admit-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Outbound } from '../../runtime/outbound-fetch.ts';
import type { VapidKeys } from '../../security/vapid.ts';
import type { Members } from '../members/members.service.ts';
import { createPushQueue } from './push-queue.ts';
import { isUsableKey, sendPush } from './push-request.ts';
import { pushPayload, pushTargets, type Readers } from './web-push.rules.ts';
import type { Subscription, WebPushUnits } from './web-push.sqlite.ts';

export interface WebPush {
  /** @throws BrokerError not_found without a usable `webPush` block. */
  publicKey(): VapidPublicKey;
  subscribe(member: string, request: PushSubscriptionRequest): Promise<PushSubscription>;
  /** @throws BrokerError not_found for an id that is not the member's own. */
  unsubscribe(member: string, id: string): Promise<void>;
  /**
   * Call it after the commit; it returns at once. `readers` are those who can read the message, and
   * `concerned` those whom it is about.
   */
  onAccepted(message: Message, readers: Readers, concerned?: readonly string[]): void;
  /** The member is gone, with its rows. */
  forgetMember(member: string): void;
  load(): Promise<void>;
  close(): Promise<void>;
}

export interface WebPushDeps {
  units: WebPushUnits;
  clock: Clock;
  config: Pick<ConfigStore, 'current' | 'secret'>;
  members: Members;
  outbound: Outbound;
  log: Log;
}

export function createWebPush({ units, clock, config, members, outbound, log }: WebPushDeps): WebPush {
  const subscriptionById = new Map<string, Subscription>();
  const idsByMember = new Map<string, Set<string>>();
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
    const ids = idsByMember.get(subscription.member);
    ids?.delete(id);
    if (ids?.size === 0) idsByMember.delete(subscription.member);
  }

  function remember(subscription: Subscription): void {
    forget(subscription.id);
    subscriptionById.set(subscription.id, subscription);
    const ids = idsByMember.get(subscription.member) ?? new Set();
    idsByMember.set(subscription.member, ids.add(subscription.id));
  }

  const queue = createPushQueue({
    clock,
    memberOf: (id) => subscriptionById.get(id)?.member ?? null,
    send: async (id, payload, signal) => {
      const subscription = subscriptionById.get(id);
      const keys = vapidKeys();
      if (subscription === undefined || keys === null || members.find(subscription.member) === undefined)
        return null;
      return sendPush(outbound, keys, subscription, payload, signal);
    },
    onGone: async (id) => {
      forget(id);
      await units.removePushSubscription({ id });
    },
    onDropped: (subscription, why) => log.warn({ subscription, why }, 'a push message was dropped'),
  });

  return {
    publicKey() {
      const keys = vapidKeys() ?? refuse('web_push_off');
      return { publicKey: keys.publicKey };
    },
    async subscribe(member, { endpoint: written, keys }) {
      const fault = outbound.faultOf(written);
      if (fault !== null) refuse('push_endpoint_invalid', { fault });
      const p256dh = keys.p256dh.replaceAll('=', '');
      if (!isUsableKey(p256dh)) refuse('push_key_invalid');
      const subscription = await units.putPushSubscription({
        id: randomUUID(),
        member,
        endpoint: new URL(written).href,
        p256dh,
        auth: keys.auth.replaceAll('=', ''),
        createdAt: clock(),
      });
      if (subscriptionById.get(subscription.id)?.member !== member) remember(subscription);
      const { id, endpoint, createdAt } = subscription;
      return { id, endpoint, createdAt };
    },
    async unsubscribe(member, id) {
      if (subscriptionById.get(id)?.member !== member) refuse('unknown_subscription');
      await units.removePushSubscription({ id });
      forget(id);
    },
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
    async load() {
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
    },
    close: () => queue.close(),
  };
}
