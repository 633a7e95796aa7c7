/**
 * Composes the agents of the desktop: tokens, recent runs, the PATH, and the runs
 * (specification/desktop.md#run-menu).
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { BrokerClient } from '#protocol/client.ts';
import type { Env } from '#protocol/paths.ts';
import { agentKindOf, agentName } from '../../runner/agents/agent-kinds.ts';
import type {
  AgentKindView,
  AgentLineView,
  AgentList,
  AgentStart,
  AgentView,
  RecentAgent,
} from '../bridge.ts';
import { Refusal } from '../refusal.ts';
import type { TrayState } from '../tray-model.rules.ts';
import { findAgentKinds } from './agent-kinds.ts';
import { type AgentRuns, createAgentRuns } from './agent-runs.ts';
import { createAgentPath } from './login-path.ts';
import { createPlaces, type Places } from './places.ts';
import type { RecentRun } from './recent-runs.rules.ts';
import { createRecentRuns } from './recent-runs.ts';
import { createRunTokens } from './run-tokens.ts';
import {
  type Installation,
  passedEnvironment,
  type RunChoices,
  runnerArguments,
  runnerEnvironment,
  runnerProgram,
} from './spawn-plan.rules.ts';

export interface Agents
  extends Pick<AgentRuns, 'linesOf' | 'stop' | 'restart' | 'takeOver' | 'remove' | 'running' | 'stopAll'> {
  list(): AgentList;
  /** The same for the tray, with the running agents only. */
  tray(): Pick<TrayState, 'agents' | 'recent'>;
  kinds(): Promise<AgentKindView[]>;
  readonly folders: Places;
  readonly programs: Places;
  /**
   * Starts what the page chose; places are given by id. Returns the id of the run. @throws Refusal,
   * BrokerError.
   */
  start(start: AgentStart): Promise<string>;
  /** Repeats a recent run, by its id. @throws Refusal, BrokerError. */
  startRecent(id: string): Promise<string>;
  /** Revokes tokens that an earlier session of the app left behind, if the logged-in member may do so. */
  revokeLeft(): Promise<void>;
}

export interface AgentsDeps {
  dataDir: string;
  env: Env;
  installation: Omit<Installation, 'platform'>;
  /** The address of the broker for a runner on this machine. */
  url(): string;
  clientOf(credential: 'session' | { bearer: string }): BrokerClient;
  onChange(): void;
  onLine(id: string, line: AgentLineView): void;
  log: { warn(details: object, message: string): void; info(details: object, message: string): void };
}

export async function createAgents(deps: AgentsDeps): Promise<Agents> {
  const { dataDir, env, url, clientOf, onChange, onLine, log } = deps;
  const { platform } = process;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const recent = await createRecentRuns(join(dataDir, 'recent-agents.json'), log);
  const tokens = await createRunTokens({
    path: join(dataDir, 'agent-tokens.json'),
    clientOf,
    log,
  });
  const folders = createPlaces();
  const programs = createPlaces();
  const path = createAgentPath(platform, env, log);
  const runs = createAgentRuns({
    createToken: tokens.create,
    revoke: tokens.revoke,
    async plan(choices, token, takesOver) {
      const { node, script } = runnerProgram({ ...deps.installation, platform });
      return {
        command: node,
        args: runnerArguments(script, choices, takesOver),
        env: runnerEnvironment({ platform, env, path: await path(), url: url(), token }),
      };
    },
    onChange,
    onLine,
    now: Date.now,
    log,
  });

  async function begin(choices: RunChoices): Promise<string> {
    const id = await runs.start(choices);
    await recent.add({ ...choices, id: randomUUID(), at: Date.now() });
    onChange();
    return id;
  }

  async function start({ kind, folder, program, ...rest }: AgentStart): Promise<string> {
    const isProgramChosen = agentKindOf(kind).install === null;
    if (isProgramChosen && program === null) throw new Refusal('conflict', 'choose the program to run');
    return begin({
      ...rest,
      kind,
      folder: pathOf(folders, folder, 'folder'),
      program: isProgramChosen && program !== null ? pathOf(programs, program, 'program') : null,
    });
  }

  return {
    linesOf: runs.linesOf,
    stop: runs.stop,
    restart: runs.restart,
    takeOver: runs.takeOver,
    remove: runs.remove,
    get running() {
      return runs.running;
    },
    stopAll: runs.stopAll,
    list: () => ({
      agents: runs.list(),
      recent: recent.list.map((run) => recentView(run, folders, programs)),
    }),
    tray: () => trayAgents(runs.list(), recent.list),
    kinds: async () => findAgentKinds({ ...passedEnvironment(platform, env), PATH: await path() }),
    folders,
    programs,
    start,
    async startRecent(id) {
      const found = recent.list.find((one) => one.id === id);
      if (found === undefined) throw new Refusal('conflict', 'this run is no longer on the list');
      const { id: _id, at: _at, ...choices } = found;
      return begin(choices);
    },
    revokeLeft: tokens.revokeLeft,
  };
}

/** @throws Refusal if the id is unknown. */
function pathOf(places: Places, id: string, what: string): string {
  const found = places.pathOf(id);
  if (found === null) throw new Refusal('conflict', `the ${what} is no longer known; choose it again`);
  return found;
}

/** Returns a run as the page sees it, with ids instead of paths. */
const recentView = (run: RecentRun, folders: Places, programs: Places): RecentAgent => ({
  ...run,
  args: [...run.args],
  folder: folders.add(run.folder),
  program: run.program === null ? null : programs.add(run.program),
});

/** Returns the running agents and the recent runs as the tray names them. */
const trayAgents = (
  agents: readonly AgentView[],
  recent: readonly RecentRun[],
): Pick<TrayState, 'agents' | 'recent'> => ({
  agents: agents
    .filter(({ state }) => state !== 'ended')
    .map(({ id, member, kind, program, state }) => ({ id, member, agent: agentName(kind, program), state })),
  recent: recent.map(({ id, member, kind, program, folder }) => ({
    id,
    member,
    agent: agentName(kind, program),
    folder,
  })),
});
