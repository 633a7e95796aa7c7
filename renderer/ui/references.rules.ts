/** Finds mentions and channels in a text, and what an address of this console leads to. Pure. */
import { type Mentions, mentionPattern } from '#protocol/mentions.ts';

/** The target of an address of this console. */
export type OwnLink =
  | { kind: 'objective'; id: string }
  | { kind: 'member'; name: string }
  | { kind: 'message'; scope: string; id: string };

export type TextPart = string | { kind: 'mention' | 'channel'; name: string };

const channelPattern = /(?<![\p{L}\p{N}_&/#])#([a-z0-9]+(?:-[a-z0-9]+)*)(?![\p{L}\p{N}_-])/u;
const either = new RegExp(`${mentionPattern.source}|${channelPattern.source}`, 'gu');

/**
 * `mentions`: of the whole text, of which this is a part. Whether a member or a channel has such a name is not known here.
 */
export function partsOfText(text: string, mentions: Mentions): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const found of text.matchAll(either)) {
    const [whole, member, channel] = found;
    if (member !== undefined && !mentions.has(member.toLowerCase())) continue;
    if (found.index > end) parts.push(text.slice(end, found.index));
    parts.push(
      member === undefined ? { kind: 'channel', name: channel ?? '' } : { kind: 'mention', name: member },
    );
    end = found.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Returns null for an address of another origin, and for one without a title. */
export function ownLinkOf(href: string, origin: string): OwnLink | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  if (url.origin !== origin || url.username !== '' || url.hash !== '') return null;
  const [, app, screen, encoded = '', ...rest] = url.pathname.split('/');
  const name = decoded(encoded);
  if (app !== 'app' || name === '' || rest.length > 0) return null;
  if (screen === 'conversations') {
    const id = url.searchParams.get('message');
    return id === null || url.searchParams.size > 1 ? null : { kind: 'message', scope: name, id };
  }
  if (screen === 'admin' && name === 'people') {
    const member = url.searchParams.get('member');
    return member === null || url.searchParams.size > 1 ? null : { kind: 'member', name: member };
  }
  if (url.search !== '') return null;
  if (screen === 'objectives') return { kind: 'objective', id: name };
  return screen === 'members' ? { kind: 'member', name } : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
