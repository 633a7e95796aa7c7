/** Pages of the channels (specification/channels.md#pages). */
import { type ChannelPageQuery, generalSlug } from '#protocol/channel.ts';

export interface PageRange {
  hasGeneral: boolean;
  /** The rows of a page: those with a slug after `after`, by slug, at most `limit`; null is all of them. */
  rows: { after: string; limit: number | null };
}

/** `general` has no row and comes before all slugs, whatever its name. */
export function pageRange({ limit, after }: ChannelPageQuery): PageRange {
  const hasGeneral = after === undefined;
  const isFromStart = hasGeneral || after === generalSlug;
  return {
    hasGeneral,
    rows: {
      after: isFromStart ? '' : after,
      limit: limit === undefined ? null : limit - (hasGeneral ? 1 : 0),
    },
  };
}
