/** The state of each agent: its work, the member that it waits for, and whether it is stuck. Pure. */
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import type { HeldPost } from '#protocol/held.ts';
import { mentionsIn } from '#protocol/mentions.ts';
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { Objective } from '#protocol/objective.ts';
import type { Presence } from '#protocol/presence.ts';
import { presenceState } from '#protocol/presence-state.ts';
import { toolName } from '../activity/tool-call.rules.ts';

export interface AgentFacts {
  name: string;
  presence: Presence | undefined;
  /** Open objectives that are assigned to the agent, newest first. */
  objectives: readonly Objective[];
  held: readonly HeldPost[];
  /** The newest activity, newest first; undefined if it is not known. */
  recent: readonly ActivitySummary[] | undefined;
}

export interface AgentState {
  kind: 'working' | 'waiting' | 'idle' | 'refused' | 'not responding' | 'out of reach' | 'offline';
  word: string;
  tone: 'neutral' | 'positive' | 'caution' | 'critical';
}

/** Returns the members that a blocked objective waits for: those whom its reason mentions, or else its originator. */
function awaitedOf({ blockReason, originator, assignee }: Objective): string[] {
  const mentioned = [...mentionsIn(blockReason ?? '')].flatMap(([name, written]) =>
    name === assignee.toLowerCase() ? [] : [written],
  );
  return mentioned.length > 0 ? mentioned : [originator];
}

/** Returns whom the agent waits for, without repetition; nobody if an objective of it is active. */
export function waitsFor({ objectives, held }: Pick<AgentFacts, 'objectives' | 'held'>): string[] {
  const ofPosts = held.length > 0 ? ['a manager, who decides on a held post'] : [];
  const isActive = objectives.some(({ status }) => status === 'active');
  const blocked = isActive ? [] : objectives.filter(({ status }) => status === 'blocked').flatMap(awaitedOf);
  return [...new Set([...blocked, ...ofPosts])];
}

const maxNames = 3;
const listed = (names: readonly string[]): string =>
  names.length <= maxNames
    ? names.join(', ')
    : `${names.slice(0, maxNames).join(', ')}, and ${names.length - maxNames} more`;

/** `clockTime` writes a time of day. */
export function stateOfAgent(facts: AgentFacts, clockTime: (at: number) => string): AgentState {
  const { presence } = facts;
  const state = presenceState(presence);
  switch (state) {
    case 'offline':
      return { kind: 'offline', word: 'offline', tone: 'neutral' };
    case 'not responding':
      return { kind: state, word: 'its runner does not respond', tone: 'critical' };
    case 'out of reach':
      return { kind: state, word: 'has neither the tools nor the messages of the team', tone: 'critical' };
    case 'refused': {
      const reason = presence?.model === undefined ? '' : `: ${refusalText(presence.model, clockTime)}`;
      return { kind: 'refused', word: `refused by its model${reason}`, tone: 'critical' };
    }
    case 'working':
      return { kind: 'working', word: 'working', tone: 'positive' };
    case 'online': {
      const awaited = waitsFor(facts);
      if (awaited.length === 0) return { kind: 'idle', word: 'online, idle', tone: 'positive' };
      return { kind: 'waiting', word: `waiting for ${listed(awaited)}`, tone: 'caution' };
    }
  }
}

/** A model that thinks longer than this without an exchange is worth a look. */
export const silentMs = 10 * 60_000;
const examined = 10;
const repetitions = 3;

const endOf = ({ ts, duration = 0 }: ActivitySummary): number => ts + duration;

/** Returns since when an agent that works had no exchange with its model, in epoch ms; null if that is not long. */
export function silentSince({ presence, recent }: AgentFacts, now: number): number | null {
  if (recent === undefined || presenceState(presence) !== 'working') return null;
  const last = recent.find(({ kind }) => kind === 'llm_exchange');
  const since = Math.max(last === undefined ? 0 : endOf(last), presence?.run?.since ?? 0);
  return since > 0 && now - since >= silentMs ? since : null;
}

/** A call of tools with what they answered, as a text that is equal for equal ones; null for an exchange without calls. */
function outcomeOf(calling: ActivitySummary, answering: ActivitySummary): string | null {
  const calls = calling.exchange?.calls ?? [];
  const results = answering.exchange?.results ?? [];
  if (calls.length === 0 || results.length === 0) return null;
  return [...calls, ...results].map(({ key }) => key).join(' ');
}

/** Returns the tool that the agent calls again and again with the same result, and how often it did; null if none is. */
export function repeatedCall({
  recent = [],
}: Pick<AgentFacts, 'recent'>): { tool: string; times: number } | null {
  const exchanges = recent.filter(({ kind }) => kind === 'llm_exchange').slice(0, examined);
  const outcomes = exchanges.slice(1).map((calling, at) => {
    const answering = exchanges[at];
    const outcome = answering === undefined ? null : outcomeOf(calling, answering);
    return { outcome, tool: toolName(calling.exchange?.calls[0]?.name ?? '') };
  });
  const [newest] = outcomes;
  if (newest === undefined || newest.outcome === null) return null;
  const times = outcomes.filter(({ outcome }) => outcome === newest.outcome).length;
  return times >= repetitions ? { tool: newest.tool, times } : null;
}

/** Returns one sentence for each sign that the agent is stuck. `ago` writes how long ago an instant was. */
export function stuckSigns(facts: AgentFacts, now: number, ago: (at: number) => string): string[] {
  const silent = silentSince(facts, now);
  const repeated = presenceState(facts.presence) === 'working' ? repeatedCall(facts) : null;
  return [
    ...(silent === null ? [] : [`Its last model request was ${ago(silent)}.`]),
    ...(repeated === null
      ? []
      : [`It called ${repeated.tool} ${repeated.times} times with the same result.`]),
  ];
}

/** A sign that the agent is stuck comes before the news that it works. */
export const withSigns = (state: AgentState, stuck: readonly string[]): AgentState =>
  stuck.length === 0 ? state : { ...state, word: 'may be stuck', tone: 'critical' };

export interface LastAction {
  words: string;
  /** The model refused it. An agent's own web requests may fail without anybody's help. */
  isFailed: boolean;
  /** In epoch ms. */
  at: number;
}

/** Returns the newest request of the agent in a few words; null if none is known. */
export function lastActionOf({ recent = [] }: Pick<AgentFacts, 'recent'>): LastAction | null {
  for (const { ts: at, exchange, request, isFailed } of recent) {
    if (exchange !== undefined) {
      const { calls, text, status } = exchange;
      const done = [calls.map(({ name }) => toolName(name)).join(', '), text]
        .filter((part) => part !== '')
        .join(': ');
      const answer = done === '' ? 'an answer without words' : done;
      const failure = `Failed request to its model${status === null ? '' : `: ${status}`}`;
      return { words: isFailed ? failure : answer, isFailed, at };
    }
    if (request !== undefined) {
      const { method, host, status } = request;
      const words =
        status === null ? `No answer to ${method} ${host}` : `${method} ${host} answered ${status}`;
      return { words, isFailed: false, at };
    }
  }
  return null;
}

/** Returns how many tokens the newest exchange carried, which is how full the context is; null if that is not known. */
export function contextTokens({ recent = [] }: Pick<AgentFacts, 'recent'>): number | null {
  const usage = recent.find(({ exchange }) => exchange?.usage != null)?.exchange?.usage;
  if (usage == null) return null;
  const { inputTokens, cacheReadInputTokens, cacheCreationInputTokens } = usage;
  return (inputTokens ?? 0) + (cacheReadInputTokens ?? 0) + (cacheCreationInputTokens ?? 0);
}

const rank: Record<AgentState['kind'], number> = {
  refused: 0,
  'not responding': 1,
  'out of reach': 2,
  waiting: 3,
  working: 4,
  idle: 5,
  offline: 6,
};

/** Those that need somebody come first: stuck, refused, silent, waiting; then those that work, and the others. */
export const byNeed = <T extends { state: AgentState; stuck: readonly string[]; name: string }>(
  agents: readonly T[],
): T[] =>
  agents.toSorted(
    (a, b) =>
      Number(b.stuck.length > 0) - Number(a.stuck.length > 0) ||
      rank[a.state.kind] - rank[b.state.kind] ||
      a.name.localeCompare(b.name),
  );
