/**
 * A real broker with members, and real runs of real agents in it. Each run has its own home and working
 * folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ActivityRow } from '#protocol/activity.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));
const agents = join(
  process.env.SVC_TEST_AGENTS ?? fileURLToPath(new URL('../../.agents', import.meta.url)),
  'node_modules',
  '.bin',
);

export interface AgentRun {
  child: ChildProcess;
  /** The agent's working folder. */
  cwd: string;
  home: string;
  /** Everything that the run printed on both streams. */
  said: () => string;
  /** The logs of the runs in this home. */
  logged: () => string;
  /** Asks the run to end. Resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends the agent with everything that it started, as a crash would. */
  killAgent(): void;
  exited: Promise<number | null>;
}

export interface AgentTeam {
  team: TestBroker;
  folder: string;
  run(request: RunRequest): Promise<AgentRun>;
  activityOf(member: string): Promise<ActivityRow[]>;
  /**
   * Resolves when the condition holds. Checks it whenever something arrives on any stream of the test, and at
   * intervals.
   */
  until(condition: () => boolean | Promise<boolean>, what: string, withinMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface RunRequest {
  member: string;
  /** The id of a kind of agent, or a command. */
  kind: string;
  /** The address of the scripted model. */
  modelUrl: string;
  options?: string[];
  env?: Record<string, string>;
  /** An earlier run whose folder and home this run uses. */
  again?: AgentRun;
}

const patienceMs = 60_000;
const lookMs = 25;

export async function startAgentTeam(members: Record<string, readonly string[]>): Promise<AgentTeam> {
  const team = await startTestBroker({ onDisk: true, members, config: { files: { root: 'files' } } });
  const folder = await mkdtemp(join(tmpdir(), 'muster-agents-'));
  const runs: AgentRun[] = [];

  async function run({
    member,
    kind,
    modelUrl,
    options = [],
    env = {},
    again,
  }: RunRequest): Promise<AgentRun> {
    const home = again?.home ?? join(folder, `home-${member}`);
    const cwd = again?.cwd ?? join(folder, `work-${member}`);
    if (again === undefined) {
      for (const path of [home, cwd, join(home, '.codex')]) await mkdir(path, { recursive: true });
      await writeFile(join(home, '.codex', 'auth.json'), '{"OPENAI_API_KEY":"sk-made-up-for-this-test"}');
    }
    const child = spawn(
      process.execPath,
      [svc, 'run', kind, '--headless', '--cwd', cwd, '--model-url', modelUrl, ...options],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: [agents, join(process.execPath, '..'), process.env.PATH].join(delimiter),
          HOME: home,
          SVC_URL: team.url,
          SVC_TOKEN: team.token(member),
          ANTHROPIC_API_KEY: 'sk-ant-made-up-for-this-test',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          ...env,
        },
      },
    );
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    child.stderr.on('data', (data) => {
      said += data;
    });
    const exited = once(child, 'exit').then(([code]) => code as number | null);
    const started: AgentRun = {
      child,
      cwd,
      home,
      said: () => said,
      logged: () => logsOf([{ home }]),
      exited,
      stop(signal = 'SIGTERM') {
        if (child.exitCode === null) child.kill(signal);
        return exited;
      },
      killAgent() {
        for (const pid of childrenOf(child.pid)) process.kill(-pid, 'SIGKILL');
      },
    };
    runs.push(started);
    return started;
  }

  return {
    team,
    folder,
    run,
    activityOf: async (member) =>
      (await team.as(member).call('activityRange', { params: { name: member }, query: { limit: '1000' } }))
        .activity,
    async until(condition, what, withinMs = patienceMs) {
      const giveUpAt = performance.now() + withinMs;
      while (!(await condition())) {
        if (performance.now() > giveUpAt) {
          const heard = runs.map((one) => one.said()).join('\n---\n');
          throw new Error(`${what} did not happen\n${heard}\n${logsOf(runs)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    },
    async stop() {
      for (const one of runs) await one.stop('SIGKILL');
      await team.stop();
      // An agent whose runner was killed may still be writing while it ends.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function childrenOf(parent: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(parent);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function logsOf(runs: readonly Pick<AgentRun, 'home'>[]): string {
  return runs
    .flatMap(({ home }) => {
      const logs = join(home, '.cache', 'svc', 'logs');
      return existsSync(logs) ? readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8')) : [];
    })
    .join('\n');
}
