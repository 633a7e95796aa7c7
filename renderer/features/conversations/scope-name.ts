/** The name of a scope on the screen. */
import type { ChannelSummary } from '#protocol/channel.ts';
import { parseScope } from '#protocol/scope.ts';

export interface Known {
  channels: readonly ChannelSummary[];
  /** Of the objective whose thread the scope is. */
  objectiveTitle: string | undefined;
}

/** `text`: the scope in text form. An unknown scope is called by its id. */
export function nameOfScope(text: string, { channels, objectiveTitle }: Known): string {
  const scope = parseScope(text);
  switch (scope?.kind) {
    case undefined:
      return text;
    case 'general':
      return '#general';
    case 'direct':
      return scope.member;
    case 'channel':
      return `#${channels.find(({ id }) => id === scope.channelId)?.slug ?? '…'}`;
    case 'objective':
      return objectiveTitle ?? scope.objectiveId;
  }
}
