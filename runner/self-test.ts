/**
 * Tests an agent on this machine as a run would use it: program, registration, bridge, and whether a word
 * sent through each of its transports reaches the model, proven by the model's own request
 * (specification/command-line.md#verbs).
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import process from 'node:process';
import type { Env } from '#protocol/paths.ts';
import type { AgentKind, AgentSetting, BridgeCommand, Bundle } from './agents/agent.ts';
import { agentEnvironment } from './agents/agent-environment.ts';
import { createAgentLink } from './agents/agent-link.ts';
import { loadAgent } from './agents/load-agent.ts';
import { type BridgeServer, startBridgeServer } from './bridge/bridge-server.ts';
import { startCapture } from './gateway/capture.ts';
import { endDeadRuns } from './process/dead-runs.ts';
import { onExit } from './process/exit-paths.ts';
import { makeOwnedFolder } from './process/owned-folder.ts';

export interface SelfTestRequest {
  kind: string;
  env: Env;
  /** Overrides the model's address; otherwise, the agent's own account is used. */
  modelUrl: string | null;
  /** A private folder for what the test needs; deleted afterwards. */
  runsDir: string;
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
}

export interface SelfTestResult {
  check: string;
  isOk: boolean;
  detail: string;
}

const testTimeoutMs = 60_000;

/** Yields each result as it is known; ends at the first one that makes the others pointless. */
export async function* selfTest(request: SelfTestRequest): AsyncGenerator<SelfTestResult> {
  const { kind: word, runsDir } = request;
  await using parts = new AsyncDisposableStack();
  const kind = await loadAgent(word);
  const { capabilities } = kind.descriptor;
  const env = agentEnvironment(request.env);
  await endDeadRuns(runsDir, null);
  const folder = makeOwnedFolder(runsDir, 'test');
  const link = createAgentLink();
  const exitPaths = onExit(() => {
    link.restoreSync();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  });
  exitPaths.started((signal) => process.exit(128 + (constants.signals[signal] ?? 0)));
  parts.defer(exitPaths.release);
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const { version, canWake } = await kind.capabilities({ cwd: folder, env, mode: 'owned', args: [] });
  yield passed('program', version);
  if (!canWake) {
    yield passed(
      'transports',
      'the agent cannot be woken; messages wait for its next tool call, which reports them',
    );
    return;
  }
  const watch = createWatch();
  const agent = await kind.prepare(await settingOf(parts, request, { kind, env, folder, watch }));
  link.seat(agent);
  parts.defer(() => agent.restore());
  parts.defer(() => agent.stop());
  yield passed('registration', 'the bridge is registered for this test');
  await agent.start();
  yield await tryTransport('wake', agent.wake, watch);
  if (capabilities.canSteer) yield await tryTransport('steer', agent.steer, watch);
  yield watch.isInitialized
    ? passed('bridge', 'the agent connected to it over MCP')
    : failed('bridge', 'the agent did not start it');
}

const passed = (check: string, detail: string): SelfTestResult => ({ check, isOk: true, detail });
const failed = (check: string, detail: string): SelfTestResult => ({ check, isOk: false, detail });

/** What was observed of the agent so far. */
interface Watch {
  isInitialized: boolean;
  isTurn: boolean;
  /** How far each word came, according to the agent's adapter. */
  evidence: Map<string, string>;
  /** When each word was seen in a request to the model, on the monotonic clock in ms. */
  reachedAt: Map<string, number>;
  transcript: string[];
  /** Call it after each change. */
  changed(): void;
  /** Resolves with true once the condition holds, or with false after the time. */
  until(condition: () => boolean): Promise<boolean>;
}

function createWatch(): Watch {
  let wake = (): void => undefined;
  return {
    isInitialized: false,
    isTurn: false,
    evidence: new Map(),
    reachedAt: new Map(),
    transcript: [],
    changed: () => wake(),
    async until(condition) {
      const giveUpAt = performance.now() + testTimeoutMs;
      while (!condition()) {
        const leftMs = giveUpAt - performance.now();
        if (leftMs <= 0) return false;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(leftMs, 1000));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return true;
    },
  };
}

interface Subject {
  kind: AgentKind;
  env: Readonly<Record<string, string>>;
  folder: string;
  watch: Watch;
}

async function settingOf(
  parts: AsyncDisposableStack,
  { bridgeCommand, modelUrl }: SelfTestRequest,
  { kind, env, folder, watch }: Subject,
): Promise<AgentSetting> {
  const { evidence, reachedAt } = watch;
  const bridge = await startTestBridge(watch);
  parts.defer(bridge.close);
  const capture = await startCapture(parts, {
    kind,
    cwd: folder,
    env,
    modelUrl,
    isTraced: true,
    tracesHttp: false,
    onExchange(event) {
      const text = JSON.stringify(event);
      for (const word of evidence.keys())
        if (text.includes(word) && !reachedAt.has(word)) reachedAt.set(word, performance.now());
      watch.changed();
    },
    onOpaque: () => undefined,
    onFlight: () => undefined,
    log: () => undefined,
    tell: () => undefined,
  });
  return {
    cwd: folder,
    args: [],
    mode: 'owned',
    isUnattended: false,
    ...capture,
    bridge: { ...bridgeCommand, env: bridge.env },
    instructions: 'This is a connection test. Answer every message with only the word ok.',
    member: 'svc doctor',
    runFolder: folder,
    events: {
      onEvidence(ids, state) {
        for (const id of ids) evidence.set(id, state);
        watch.changed();
      },
      onTurn(isActive) {
        watch.isTurn = isActive;
        watch.changed();
      },
      onTranscript: (line) => void watch.transcript.push(line),
    },
    log: () => undefined,
  };
}

/** A bridge without tools. */
const startTestBridge = (watch: Watch): Promise<BridgeServer> =>
  startBridgeServer({
    instructions: () => 'This is a connection test.',
    list: () => [],
    call: async () => ({ content: [{ type: 'text', text: 'This is a connection test.' }] }),
    handOver: async () => null,
    onInitialized() {
      watch.isInitialized = true;
      watch.changed();
    },
    onGone: () => undefined,
  });

async function tryTransport(
  transport: string,
  send: (bundle: Bundle) => Promise<void>,
  watch: Watch,
): Promise<SelfTestResult> {
  const { evidence, reachedAt, transcript } = watch;
  const word = `nonce-${randomBytes(8).toString('hex')}`;
  const startedAt = performance.now();
  evidence.set(word, 'queued');
  await send({ messageIds: [word], text: `Answer with ok. (${word})` });
  const isThere = await watch.until(() => reachedAt.has(word) || evidence.get(word) === 'in_context');
  const ms = Math.round((reachedAt.get(word) ?? performance.now()) - startedAt);
  await watch.until(() => !watch.isTurn);
  const proof = reachedAt.has(word) ? 'in the model’s request' : `evidence: ${evidence.get(word)}`;
  if (isThere) return passed(transport, `a message reached the model in ${ms} ms (${proof})`);
  const last = transcript.slice(-3).join(' / ').slice(0, 300);
  return failed(
    transport,
    `no message reached the model within ${testTimeoutMs / 1000} s (${proof}); the agent’s last output: ${last || 'none'}`,
  );
}
