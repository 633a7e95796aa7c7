/** The items that a member has dealt with, and the unread messages that ask for it (specification/attention.md). */
import { z } from 'zod';
import { ClockTrouble } from './clock-trouble.ts';
import { Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

/** The name that a client gives to something that asks for attention, with its version if it has one. */
const AttentionItem = text(1, limits.attention.item);

/** The member has dealt with the item, for good or, if it is put off, until an instant. */
export const AttentionMark = z
  .object({ item: z.string(), at: Timestamp, until: Timestamp.nullable() })
  .meta({ id: 'AttentionMark' });
export type AttentionMark = z.infer<typeof AttentionMark>;

/** A message of somebody else that the caller has not read. `excerpt`: the beginning of its text. */
export const UnreadMessage = z
  .object({ id: z.string(), ts: Timestamp, from: z.string(), scope: z.string(), excerpt: z.string() })
  .meta({ id: 'UnreadMessage' });
export type UnreadMessage = z.infer<typeof UnreadMessage>;

/** A store on whose disk little is free. Below `floorBytes`, the broker accepts nothing that grows it. */
export const LowDisk = z
  .object({ store: z.enum(['main', 'activity']), freeBytes: z.number(), floorBytes: z.number() })
  .meta({ id: 'LowDisk' });
export type LowDisk = z.infer<typeof LowDisk>;

/** A store in which the broker found damage, or which it cannot use. `cause`: the first that it found. */
export const DamagedStore = z
  .object({ store: z.enum(['main', 'activity']), cause: z.string() })
  .meta({ id: 'DamagedStore' });
export type DamagedStore = z.infer<typeof DamagedStore>;

export const Attention = z
  .object({
    /** Without those whose time has come. */
    marks: z.array(AttentionMark),
    /** The newest 50, newest first. */
    critical: z.array(UnreadMessage),
    /**
     * For each of the 50 conversations with the newest messages: the newest direct message, or elsewhere the newest one that mentions the
     * caller, newest first.
     */
    addressed: z.array(UnreadMessage),
    /** For managers, and only while there is one. */
    lowDisks: z.array(LowDisk).optional(),
    /** Likewise. */
    damagedStores: z.array(DamagedStore).optional(),
    /** Likewise. */
    clock: ClockTrouble.optional(),
  })
  .meta({ id: 'Attention' });
export type Attention = z.infer<typeof Attention>;

/** `until`: when the item asks for attention again; null for never. */
export const AttentionReport = z
  .object({ item: AttentionItem, until: Timestamp.nullable() })
  .meta({ id: 'AttentionReport' });
export type AttentionReport = z.infer<typeof AttentionReport>;

export const AttentionQuery = z.object({ item: AttentionItem });
