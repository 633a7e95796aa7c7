/** The items that need a member, and the place at which each is dealt with (specification/attention.md#inbox). */
import { z } from 'zod';
import { Timestamp } from './ids.ts';
import { inboxKinds } from './inbox-kinds.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

export const InboxKind = z.enum(inboxKinds);
export type InboxKind = z.infer<typeof InboxKind>;

/** The place at which the item is dealt with. */
export const InboxPlace = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('conversation'), scope: z.string(), message: z.string().optional() }),
    z.object({ kind: z.literal('objective'), id: z.string() }),
    z.object({ kind: z.literal('member'), name: z.string() }),
    z.object({ kind: z.literal('device'), code: z.string() }),
    z.object({ kind: z.literal('held'), id: z.string() }),
    z.object({ kind: z.literal('settings') }),
  ])
  .meta({ id: 'InboxPlace' });
export type InboxPlace = z.infer<typeof InboxPlace>;

export const InboxItem = z
  .object({
    /** The item of a mark (specification/attention.md#marks): another key means that something new happened. */
    key: z.string(),
    kind: InboxKind,
    title: z.string(),
    /** The conversation whose name belongs behind the title. */
    scope: z.string().nullable(),
    detail: z.string(),
    /** Since when; null if that is not known. */
    at: Timestamp.nullable(),
    /** When it ends by itself, if that is known. */
    until: Timestamp.optional(),
    place: InboxPlace,
  })
  .meta({ id: 'InboxItem' });
export type InboxItem = z.infer<typeof InboxItem>;

/**
 * `muted`: the conversations, in text form and separated by commas, of which only mentions and critical messages need the
 * caller.
 */
export const InboxQuery = z.object({ muted: text(1, limits.inbox.muted).optional() });

export const Inbox = z.object({ items: z.array(InboxItem) }).meta({ id: 'Inbox' });
export type Inbox = z.infer<typeof Inbox>;
