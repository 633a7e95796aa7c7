import { describe, expect, it } from 'vitest';
import { leastNeeded, verdictOn } from './connection-caps.rules.ts';

const caps = { all: 10, perSource: 3, reserved: 2 };

describe('a new connection', () => {
  it.each([
    ['is admitted below all limits', false, 2, 7, 'admit'],
    ['is refused if its source has as many as it may have', false, 3, 3, 'too many of the source'],
    ['needs room when only the reserve is left', false, 0, 8, 'make room'],
    ['is admitted to the reserve if its source is exempt', true, 9, 9, 'admit'],
    ['needs room if its source is exempt and the reserve is full', true, 10, 10, 'make room'],
  ])('%s', (_, isExempt, ofSource, open, verdict) => {
    expect(verdictOn({ isExempt, ofSource }, open, caps)).toBe(verdict);
  });
});

describe('the connection that makes room', () => {
  const busyMember = { name: 'busy member', isAuthenticated: true, unanswered: 1 };
  const idleMember = { name: 'idle member', isAuthenticated: true, unanswered: 0 };
  const busyStranger = { name: 'busy stranger', isAuthenticated: false, unanswered: 1 };
  const idleStranger = { name: 'idle stranger', isAuthenticated: false, unanswered: 0 };

  it('is the oldest that has no credential and no request', () => {
    const open = [busyMember, idleMember, busyStranger, idleStranger, { ...idleStranger, name: 'younger' }];
    expect(leastNeeded(open)).toBe(idleStranger);
  });

  it('is one without a credential before one with a credential', () => {
    expect(leastNeeded([busyMember, idleMember, busyStranger])).toBe(busyStranger);
    expect(leastNeeded([busyMember, idleMember])).toBe(idleMember);
  });

  it('is never one with a credential and a request, such as a live stream', () => {
    expect(leastNeeded([busyMember])).toBeUndefined();
  });
});
