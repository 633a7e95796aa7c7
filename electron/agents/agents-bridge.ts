/**
 * The calls with which pages see and control the agents of this desktop. Folders and programs come from the
 * app's dialogs or from the list of recent runs, and are passed by id.
 */
import type { WebContents } from 'electron';
import type { AgentLineView, AgentPlace } from '../bridge.ts';
import { Refusal } from '../refusal.ts';
import { type BridgeHandlers, sendNews } from '../serve-bridge.ts';
import type { Agents } from './agents.ts';
import { hostToAskAbout } from './model-address.rules.ts';
import type { Places } from './places.ts';

export interface AgentsBridgeDeps {
  agents: Agents;
  /** Returns the path, or null if the person canceled. */
  pick(what: 'folder' | 'program'): Promise<string | null>;
  /** Asks whether the agent's model requests, with its key, may go to this host. */
  confirmModel(host: string): Promise<boolean>;
}

type AgentHandlers = Pick<
  BridgeHandlers,
  | 'agentKinds'
  | 'chooseAgentFolder'
  | 'chooseAgentProgram'
  | 'listAgents'
  | 'startAgent'
  | 'stopAgent'
  | 'restartAgent'
  | 'takeOverAgent'
  | 'removeAgent'
  | 'followAgent'
>;

export interface AgentsBridge {
  handlers: AgentHandlers;
  changed(): void;
  line(id: string, line: AgentLineView): void;
  /** Called when the page of this window is gone or reloads. */
  forget(contents: WebContents): void;
  /** Called when the member of this desktop logs out: pages get nothing more until they ask again. */
  forgetAll(): void;
}

const gatherMs = 50;

export function createAgentsBridge({ agents, pick, confirmModel }: AgentsBridgeDeps): AgentsBridge {
  /** For each listening page: the agent that it follows, and the lines that it has not received yet. */
  const pages = new Map<WebContents, { follows: string | null; lines: AgentLineView[] }>();
  let isListStale = false;
  let isFlushDue = false;

  function flushSoon(): void {
    if (isFlushDue) return;
    isFlushDue = true;
    setTimeout(flush, gatherMs);
  }

  function flush(): void {
    isFlushDue = false;
    for (const [contents, page] of pages) {
      if (page.follows !== null && page.lines.length > 0)
        sendNews(contents, 'onAgents', { kind: 'lines', id: page.follows, lines: page.lines });
      page.lines = [];
      if (isListStale) sendNews(contents, 'onAgents', { kind: 'list', ...agents.list() });
    }
    isListStale = false;
  }

  const pageOf = (contents: WebContents) => {
    const page = pages.get(contents) ?? { follows: null, lines: [] };
    pages.set(contents, page);
    return page;
  };

  async function chosen(what: 'folder' | 'program', places: Places): Promise<AgentPlace | null> {
    const path = await pick(what);
    return path === null ? null : places.add(path);
  }

  const handlers: AgentHandlers = {
    agentKinds: agents.kinds,
    chooseAgentFolder: () => chosen('folder', agents.folders),
    chooseAgentProgram: () => chosen('program', agents.programs),
    listAgents(_nothing, { page }) {
      pageOf(page);
      return agents.list();
    },
    async startAgent(start) {
      const known = agents.list().recent.map(({ modelUrl }) => modelUrl);
      const host = hostToAskAbout(start.modelUrl, known);
      if (host !== null && !(await confirmModel(host)))
        throw new Refusal(
          'conflict',
          `the agent was not started: sending its model requests to ${host} was not allowed`,
        );
      return agents.start(start);
    },
    stopAgent(id) {
      agents.stop(id);
      return null;
    },
    restartAgent: agents.restart,
    takeOverAgent: agents.takeOver,
    removeAgent(id) {
      agents.remove(id);
      return null;
    },
    followAgent(id, { page }) {
      const lines = agents.linesOf(id);
      Object.assign(pageOf(page), { follows: id, lines: [] });
      return lines;
    },
  };

  return {
    handlers,
    changed() {
      isListStale = true;
      flushSoon();
    },
    line(id, line) {
      let isHeard = false;
      for (const page of pages.values())
        if (page.follows === id) {
          page.lines.push(line);
          isHeard = true;
        }
      if (isHeard) flushSoon();
    },
    forget: (contents) => void pages.delete(contents),
    forgetAll: () => pages.clear(),
  };
}
