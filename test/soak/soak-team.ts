/** Forty members: people, and agents, which say what caused their posts. */

import { team as people } from '../day/day-script.ts';
import type { Level } from '../day/day-state.ts';

const agents = Array.from({ length: 40 - people.size }, (_, at) => `agent${at + 1}`);

export const soakTeam = new Map<string, Level>([
  ...people,
  ...agents.map((name, at): [string, Level] => [name, at % 6 === 0 ? 'operator' : 'none']),
]);

/** Attacks with everything that a member without rights may do, if a soak wants it. */
export const hostile = 'mal';

export const isAgent = (name: string): boolean => agents.includes(name);
