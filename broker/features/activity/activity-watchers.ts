/** Ends streams of activity whose reader may no longer watch (specification/activity.md). */
import type { LiveStreams } from '../../http/live-streams.ts';

export interface ActivityWatchers {
  /** Ends the streams that the member opened by a permission it no longer has. */
  onPermissionsChanged(member: { name: string; permissions: readonly string[] }): void;
  /** Ends the streams of and by the member. */
  forgetMember(name: string): void;
}

export const createActivityWatchers = (streams: Pick<LiveStreams, 'endWhere'>): ActivityWatchers => ({
  onPermissionsChanged({ name, permissions }) {
    if (permissions.includes('activity.read')) return;
    streams.endWhere(({ key, reader }) => reader === name && key !== name);
  },
  forgetMember(name) {
    streams.endWhere(({ key, reader }) => key === name || reader === name);
  },
});
