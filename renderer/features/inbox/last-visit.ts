/** Remembers in this browser when the member was here. */
import { useEffect, useState } from 'react';
import { startOfDay } from '../../ui/time.rules.ts';
import { atSight, type Visits } from './last-visit.rules.ts';

const everyMs = 60_000;
const keyOf = (member: string): string => `muster.visits.${member}`;

function held(member: string): Visits | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(keyOf(member)) ?? 'null');
    if (typeof value !== 'object' || value === null || !('seen' in value) || !('before' in value))
      return null;
    const { seen, before } = value;
    return typeof seen === 'number' && typeof before === 'number' ? { seen, before } : null;
  } catch {
    return null;
  }
}

function look(member: string): Visits {
  const now = Date.now();
  const visits = atSight(held(member), now, startOfDay(now));
  localStorage.setItem(keyOf(member), JSON.stringify(visits));
  return visits;
}

/** Returns the end of the visit before this one, in epoch ms; at the first visit, the beginning of the day. */
export function useLastVisit(member: string): number {
  const [before, setBefore] = useState(() => look(member).before);
  useEffect(() => {
    const lookAgain = () => {
      if (!document.hidden) setBefore(look(member).before);
    };
    lookAgain();
    const timer = setInterval(lookAgain, everyMs);
    document.addEventListener('visibilitychange', lookAgain);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookAgain);
    };
  }, [member]);
  return before;
}
