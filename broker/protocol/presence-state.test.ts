import { describe, expect, it } from 'vitest';
import type { Presence } from './presence.ts';
import { lastSeenOf, presenceState } from './presence-state.ts';

const presence = (part: object): Presence =>
  ({ name: 'ben', connected: 0, lastSeen: null, busy: false, ...part }) as Presence;

describe('a member', () => {
  it('that is connected was last seen now, however old its last request is', () => {
    const connected = presence({ connected: 1, lastSeen: 5 });
    expect([presenceState(connected), lastSeenOf(connected)]).toEqual(['online', 'now']);
  });

  it('that is not connected was last seen at a time, or never', () => {
    expect(lastSeenOf(presence({ lastSeen: 5 }))).toBe(5);
    expect(lastSeenOf(presence({}))).toBe('never');
    expect([presenceState(undefined), lastSeenOf(undefined)]).toEqual(['offline', 'never']);
  });

  it('is described by what needs attention first', () => {
    const model = { since: 1, kind: 'quota' };
    expect(presenceState(presence({ connected: 1, run: { isResponding: false }, model, busy: true }))).toBe(
      'not responding',
    );
    expect(presenceState(presence({ connected: 1, model, busy: true }))).toBe('refused');
    const reached = (reach: string) => presence({ connected: 1, run: { isResponding: true, reach } });
    expect(presenceState(reached('nothing'))).toBe('out of reach');
    expect(presenceState(reached('messages'))).toBe('online');
    expect(presenceState(presence({ connected: 1, busy: true }))).toBe('working');
  });
});
