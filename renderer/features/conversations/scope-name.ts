/** What a scope is called on the screen. */
import type { ChannelSummary } from '#protocol/channel.ts';
import type { Objective } from '#protocol/objective.ts';

export interface Known {
  channels: readonly ChannelSummary[];
  objectives: readonly Objective[];
}

export function nameOfScope(scope: string, { channels, objectives }: Known): string {
  if (scope === 'general') return '#general';
  const [kind, id] = [scope.slice(0, scope.indexOf(':')), scope.slice(scope.indexOf(':') + 1)];
  if (kind === 'dm') return id;
  if (kind === 'chan') return `#${channels.find((channel) => channel.id === id)?.slug ?? '…'}`;
  return objectives.find((objective) => objective.id === id)?.title ?? id;
}
