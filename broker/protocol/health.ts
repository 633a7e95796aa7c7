import { z } from 'zod';

export const Health = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

/** Of the broker that answers the team. */
export const Ready = z.object({ status: z.literal('ready'), version: z.string() }).meta({ id: 'Ready' });
export type Ready = z.infer<typeof Ready>;
