/** Browser push subscriptions (specification/web-push.md#subscriptions). */
import { z } from 'zod';
import { Timestamp } from './ids.ts';

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+={0,2}$/, 'must be base64url')
    .refine(
      (value) => Math.floor((value.replaceAll('=', '').length * 3) / 4) === bytes,
      `must be ${bytes} bytes in base64url`,
    );

export const VapidPublicKey = z.object({ publicKey: z.string() }).meta({ id: 'VapidPublicKey' });
export type VapidPublicKey = z.infer<typeof VapidPublicKey>;

export const PushSubscriptionRequest = z
  .object({
    endpoint: z.url({ protocol: /^https?$/, error: 'must be a URL' }).max(2048),
    keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
  })
  .meta({ id: 'PushSubscriptionRequest' });
export type PushSubscriptionRequest = z.infer<typeof PushSubscriptionRequest>;

export const PushSubscription = z
  .object({ id: z.uuid(), endpoint: z.string(), createdAt: Timestamp })
  .meta({ id: 'PushSubscription' });
export type PushSubscription = z.infer<typeof PushSubscription>;

/** A subscription as its member sees it. The endpoint itself is a secret of the browser, so only its host is shown. */
export const PushSubscriptionInfo = z
  .object({
    id: z.uuid(),
    host: z.string(),
    /** The program that subscribed, as its User-Agent describes it. */
    device: z.string(),
    createdAt: Timestamp,
    /** When the push service last took a message, and when it last refused one or could not be reached. */
    lastSuccessAt: Timestamp.nullable(),
    lastFailureAt: Timestamp.nullable(),
    /** The credential that made it, and with which it ends: a session, a token, or a JWT. */
    credential: z.object({ plane: z.enum(['bearer', 'session', 'jwt']), id: z.string() }),
    /** That credential authenticates this request. */
    current: z.boolean(),
  })
  .meta({ id: 'PushSubscriptionInfo' });
export type PushSubscriptionInfo = z.infer<typeof PushSubscriptionInfo>;

export const PushSubscriptionList = z
  .object({ subscriptions: z.array(PushSubscriptionInfo) })
  .meta({ id: 'PushSubscriptionList' });
export type PushSubscriptionList = z.infer<typeof PushSubscriptionList>;
