/**
 * The agents of the desktop as the page knows them: the list, and the output of the followed agent. The app
 * sends changes; the page does not poll.
 */
import { useSyncExternalStore } from 'react';
import type { AgentLineView, AgentList, DesktopBridge } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { createListeners } from '../../listeners.ts';

export interface AgentsState {
  /** Null until the app has answered. */
  list: AgentList | null;
  followed: string | null;
  lines: readonly AgentLineView[];
  error: Error | null;
}

/** As many lines as the app keeps of both sources together. */
const maxLines = 1000;

const withNew = (have: readonly AgentLineView[], more: readonly AgentLineView[]): AgentLineView[] => {
  const last = have.at(-1)?.n ?? 0;
  return [...have, ...more.filter(({ n }) => n > last)].slice(-maxLines);
};

function createAgentsStore(bridge: DesktopBridge) {
  let state: AgentsState = { list: null, followed: null, lines: [], error: null };
  const { subscribe, tell } = createListeners();
  function become(next: Partial<AgentsState>): void {
    state = { ...state, ...next };
    tell();
  }
  bridge.onAgents((news) => {
    if (news.kind === 'list') become({ list: { agents: news.agents, recent: news.recent } });
    else if (news.id === state.followed) become({ lines: withNew(state.lines, news.lines) });
  });
  const failed = (error: unknown): void =>
    become({ error: error instanceof Error ? error : new Error(String(error)) });

  return {
    subscribe,
    read: (): AgentsState => state,
    load(): void {
      become({ error: null });
      answerOf(bridge.listAgents()).then((list) => become({ list }), failed);
    },
    follow(id: string): void {
      if (id === state.followed) return;
      become({ followed: id, lines: [] });
      answerOf(bridge.followAgent(id)).then(
        (lines) => {
          if (state.followed === id) become({ lines: withNew(lines, state.lines) });
        },
        // The run was removed from the list in the meantime; the list shows it.
        () => undefined,
      );
    },
  };
}

let store: ReturnType<typeof createAgentsStore> | null = null;

/** Returns the one store of this window. */
export function agentsStore(bridge: DesktopBridge): ReturnType<typeof createAgentsStore> {
  store ??= createAgentsStore(bridge);
  return store;
}

export function useAgents(bridge: DesktopBridge): AgentsState {
  const { subscribe, read } = agentsStore(bridge);
  return useSyncExternalStore(subscribe, read);
}
