/** Presence and the roster (specification/presence.md). */
import { z } from 'zod';
import { MemberName, Timestamp } from './ids.ts';
import { Teammate } from './member.ts';
import { ModelRefusal } from './model-refusal.ts';
import { RunPresence } from './run.ts';

/**
 * One per member, offline ones included. `connected` counts the member's concurrent streams. `model` is present
 * only while the model of the member's agent refuses.
 */
export const Presence = z
  .object({
    name: MemberName,
    connected: z.int().nonnegative(),
    lastSeen: Timestamp.nullable(),
    busy: z.boolean(),
    /** The run that holds the member’s lease; absent if there is none. */
    run: RunPresence.optional(),
    model: ModelRefusal.optional(),
  })
  .meta({ id: 'Presence' });
export type Presence = z.infer<typeof Presence>;

export const Roster = z
  .object({ teammates: z.array(Teammate), connected: z.array(Presence) })
  .meta({ id: 'Roster' });
export type Roster = z.infer<typeof Roster>;

export const BusyReport = z.object({ busy: z.boolean() }).meta({ id: 'BusyReport' });
export type BusyReport = z.infer<typeof BusyReport>;
