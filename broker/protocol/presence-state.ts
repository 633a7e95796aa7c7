/** The meaning of a member's presence. */
import type { Presence } from './presence.ts';

export type PresenceState = 'refused' | 'not responding' | 'out of reach' | 'working' | 'online' | 'offline';

export function presenceState(presence: Presence | undefined): PresenceState {
  if (presence === undefined || presence.connected === 0) return 'offline';
  if (presence.run?.isResponding === false) return 'not responding';
  if (presence.model !== undefined) return 'refused';
  if (presence.run?.reach === 'nothing') return 'out of reach';
  return presence.busy ? 'working' : 'online';
}

/**
 * When the member was last seen, in epoch ms. A connected member is seen now, however long ago its last request was, so that
 * this never contradicts its state.
 */
export function lastSeenOf(presence: Presence | undefined): number | 'now' | 'never' {
  if (presence !== undefined && presence.connected > 0) return 'now';
  return presence?.lastSeen ?? 'never';
}

/** The agent cannot work, and somebody has to look after it. */
export const isInTrouble = (presence: Presence): boolean =>
  ['refused', 'not responding', 'out of reach'].includes(presenceState(presence));
