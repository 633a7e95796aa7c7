/**
 * The words about agents that a page may say, each asked for members.manage: what an agent says is not for everybody who logs in here. Folders and programs come from
 * dialogs of the app or from the list of recent runs, by id.
 */
import type { WebContents } from 'electron';
import { z } from 'zod';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { type AgentLineView, type AgentNews, type AgentPlace, channels } from '../bridge.ts';
import { BridgeRefusal, type BridgeWord } from '../bridge-words.ts';
import { requireManager } from '../manager-check.ts';
import { AgentRunError } from './agent-runs.ts';
import type { Agents } from './agents.ts';
import { hostToAskAbout } from './model-address.rules.ts';
import type { Places } from './places.ts';

const Id = z.uuid();
const Nothing = z.null();
/** Without a name and password: it stands on a command line. */
const ModelUrl = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((url) => {
    const { username, password } = new URL(url);
    return username === '' && password === '';
  }, 'a model address holds no name and password: set them in the agent’s own settings');
const Start = z.strictObject({
  member: z.string().min(1).max(limits.memberName),
  kind: z.enum(['claude-code', 'codex', 'command']),
  folder: Id,
  program: Id.nullable(),
  args: z
    .array(
      z
        .string()
        .max(1024)
        .regex(/^[^\0]*$/),
    )
    .max(32),
  isUnattended: z.boolean(),
  modelUrl: ModelUrl.nullable(),
});

export interface AgentsBridgeDeps {
  handle: BridgeWord;
  agents: Agents;
  /** As the member who is logged in at this desktop. */
  client: BrokerClient;
  /** The path, or null when the person cancelled. */
  pick(what: 'folder' | 'program'): Promise<string | null>;
  /** Whether the person lets the agent's model requests, with its key, go to this host. */
  confirmModel(host: string): Promise<boolean>;
}

export interface AgentsBridge {
  changed(): void;
  line(id: string, line: AgentLineView): void;
  /** The page of this window is gone or loads anew. */
  forget(contents: WebContents): void;
  /** Whoever logged in here logged out: no page hears more before it asks again. */
  forgetAll(): void;
}

const gatherMs = 50;

export function serveAgentsBridge(deps: AgentsBridgeDeps): AgentsBridge {
  const { handle, agents, client, pick, confirmModel } = deps;
  /** What each listening page follows, and what it has not been told yet. */
  const pages = new Map<WebContents, { follows: string | null; lines: AgentLineView[] }>();
  let isListStale = false;
  let isFlushDue = false;

  function soon(): void {
    if (isFlushDue) return;
    isFlushDue = true;
    setTimeout(flush, gatherMs);
  }

  function flush(): void {
    isFlushDue = false;
    for (const [contents, page] of pages) {
      if (contents.isDestroyed()) {
        pages.delete(contents);
        continue;
      }
      const tell = (news: AgentNews): void => contents.send(channels.agents, news);
      if (page.follows !== null && page.lines.length > 0)
        tell({ kind: 'lines', id: page.follows, lines: page.lines });
      page.lines = [];
      if (isListStale) tell({ kind: 'list', ...agents.list() });
    }
    isListStale = false;
  }

  const pageOf = (contents: WebContents) => {
    const page = pages.get(contents) ?? { follows: null, lines: [] };
    pages.set(contents, page);
    return page;
  };

  async function refusing<T>(run: () => T | Promise<T>): Promise<T> {
    await requireManager(client);
    try {
      return await run();
    } catch (error) {
      if (error instanceof AgentRunError) throw new BridgeRefusal('conflict', error.message);
      if (error instanceof BrokerError) throw new BridgeRefusal(error.code, error.message);
      throw error;
    }
  }

  async function chosen(what: 'folder' | 'program', places: Places): Promise<AgentPlace | null> {
    const path = await pick(what);
    return path === null ? null : places.add(path);
  }

  handle(channels.agentKinds, Nothing, () => refusing(agents.kinds));
  handle(channels.chooseAgentFolder, Nothing, () => refusing(() => chosen('folder', agents.folders)));
  handle(channels.chooseAgentProgram, Nothing, () => refusing(() => chosen('program', agents.programs)));
  handle(channels.listAgents, Nothing, (_nothing, sender) =>
    refusing(() => {
      pageOf(sender);
      return agents.list();
    }),
  );
  handle(channels.startAgent, Start, (start) =>
    refusing(async () => {
      const known = agents.list().recent.map(({ modelUrl }) => modelUrl);
      const host = hostToAskAbout(start.modelUrl, known);
      if (host !== null && !(await confirmModel(host)))
        throw new BridgeRefusal('conflict', `not started: its model requests would have gone to ${host}`);
      return agents.start(start);
    }),
  );
  handle(channels.stopAgent, Id, (id) =>
    refusing(() => {
      agents.stop(id);
      return null;
    }),
  );
  handle(channels.restartAgent, Id, (id) => refusing(() => agents.restart(id)));
  handle(channels.removeAgent, Id, (id) =>
    refusing(() => {
      agents.remove(id);
      return null;
    }),
  );
  handle(channels.followAgent, Id, (id, sender) =>
    refusing(() => {
      const lines = agents.linesOf(id);
      Object.assign(pageOf(sender), { follows: id, lines: [] });
      return lines;
    }),
  );

  return {
    changed() {
      isListStale = true;
      soon();
    },
    line(id, line) {
      let isHeard = false;
      for (const page of pages.values())
        if (page.follows === id) {
          page.lines.push(line);
          isHeard = true;
        }
      if (isHeard) soon();
    },
    forget: (contents) => void pages.delete(contents),
    forgetAll: () => pages.clear(),
  };
}
