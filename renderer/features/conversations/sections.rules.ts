/** In which section of the list each conversation is. Pure. */

/** Scopes in text form. */
export interface Arrangement {
  muted: ReadonlySet<string>;
  favorites: ReadonlySet<string>;
}

export interface Conversation {
  /** In text form. */
  scope: string;
  kind: 'direct' | 'channel' | 'thread';
  count: number;
  mentions: number;
}

/** Returns how many unread messages the badge shows: of a muted conversation, the mentions alone. */
export const shownCount = (
  { scope, count, mentions }: Pick<Conversation, 'scope' | 'count' | 'mentions'>,
  muted: ReadonlySet<string>,
): number => (muted.has(scope) ? mentions : count);

export type SectionTitle = 'Unread' | 'Favorites' | 'Direct messages' | 'Channels' | 'Objective threads';

const titleOfKind = { direct: 'Direct messages', channel: 'Channels', thread: 'Objective threads' } as const;

/** Direct messages first, and then where the member is mentioned. */
const rankOf = ({ kind, mentions }: Conversation): number => (kind === 'direct' ? 0 : mentions > 0 ? 1 : 2);

/** Each conversation is in one section, in the given order. `kept`: the open one as it was when it was opened, which says its place. */
export function sectionsOf<C extends Conversation>(
  conversations: readonly C[],
  { muted, favorites }: Arrangement,
  kept: Conversation | null,
): Record<SectionTitle, C[]> {
  const sections: Record<SectionTitle, C[]> = {
    Unread: [],
    Favorites: [],
    'Direct messages': [],
    Channels: [],
    'Objective threads': [],
  };
  const placeOf = (one: Conversation) => (one.scope === kept?.scope ? kept : one);
  for (const one of conversations) {
    const title =
      shownCount(placeOf(one), muted) > 0
        ? 'Unread'
        : favorites.has(one.scope)
          ? 'Favorites'
          : titleOfKind[one.kind];
    sections[title].push(one);
  }
  sections.Unread.sort((a, b) => rankOf(placeOf(a)) - rankOf(placeOf(b)));
  return sections;
}
