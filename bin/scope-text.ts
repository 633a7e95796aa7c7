/** A conversation as a person reads it. */
import type { ChannelSlugs } from '#client/channel-slugs.ts';
import type { Scope } from '#protocol/scope.ts';

/** Returns `#release`, `objective obj_…`, or `direct with ben`. A channel without a known slug is shown by its id. */
export function scopeText(scope: Scope, slugs: ChannelSlugs): string {
  switch (scope.kind) {
    case 'general':
      return '#general';
    case 'channel':
      return `#${slugs.get(scope.channelId) ?? scope.channelId}`;
    case 'objective':
      return `objective ${scope.objectiveId}`;
    case 'direct':
      return `direct with ${scope.member}`;
  }
}
