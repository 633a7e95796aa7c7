/**
 * Tries an agent of this machine as a run would (design "Permissions and safety", `svc doctor <agent>`): program, registration, bridge, and
 * whether a word sent through each of its transports reaches the model, proven by the model's own request.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import process from 'node:process';
import type { Env } from '#protocol/paths.ts';
import type { Agent, BridgeCommand, Bundle } from './agents/agent.ts';
import { agentEnvironment } from './agents/agent-environment.ts';
import { loadAgent } from './agents/load-agent.ts';
import { keyVariable, socketVariable } from './bridge/bridge-protocol.ts';
import { startBridgeServer } from './bridge/bridge-server.ts';
import { startModelGateway } from './gateway/model-gateway.ts';
import { directToLoopback } from './gateway/proxy-environment.rules.ts';
import { onExit } from './process/exit-paths.ts';
import { abandonedFolders, makeOwnedFolder } from './process/owned-folder.ts';

export interface SelfTestRequest {
  kind: string;
  env: Env;
  /** Overrides the model's address; else the agent's own account is used. */
  modelUrl: string | null;
  /** A private folder for what the test needs; removed again. */
  runsDir: string;
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
}

export interface SelfTestResult {
  check: string;
  isOk: boolean;
  detail: string;
}

const patienceMs = 60_000;

/** Yields each result as it is known; ends at the first that makes the others pointless. */
export async function* selfTest(request: SelfTestRequest): AsyncGenerator<SelfTestResult> {
  const { kind: name, runsDir, modelUrl } = request;
  const env = agentEnvironment(request.env);
  const kind = await loadAgent(name);
  for (const path of abandonedFolders(runsDir, 'test'))
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  const folder = makeOwnedFolder(runsDir, 'test');
  const said: string[] = [];
  const evidence = new Map<string, string>();
  const reached = new Map<string, number>();
  let isTurn = false;
  let wake = (): void => undefined;
  /** Resolves with true once it holds. */
  async function until(condition: () => boolean): Promise<boolean> {
    const giveUpAt = performance.now() + patienceMs;
    while (!condition()) {
      const left = giveUpAt - performance.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 1000));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  let agent: Agent | null = null;
  const exitPaths = onExit(() => {
    agent?.restoreSync();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  });
  exitPaths.started((signal) => process.exit(128 + (constants.signals[signal] ?? 0)));
  try {
    const { version, canWake } = await kind.capabilities({ cwd: folder, env, mode: 'owned', args: [] });
    yield { check: 'program', isOk: true, detail: version };
    if (!canWake) {
      yield {
        check: 'transports',
        isOk: true,
        detail: 'it cannot be woken: messages wait for its next tool call, which says so',
      };
      return;
    }
    let isInitialized = false;
    const bridge = await startBridgeServer({
      instructions: () => 'A test of the connection.',
      list: () => [],
      call: async () => ({ content: [{ type: 'text', text: 'this is a test' }] }),
      take: async () => null,
      onInitialized: () => {
        isInitialized = true;
        wake();
      },
      onGone: () => undefined,
    });
    closing.push(() => bridge.close());
    const own = await kind.upstream({ cwd: folder, env });
    const upstream = own === null || modelUrl === null ? own : { ...own, url: modelUrl };
    const gateway =
      upstream === null
        ? null
        : await startModelGateway({
            upstream,
            onExchange(event) {
              const text = JSON.stringify(event);
              for (const word of evidence.keys())
                if (text.includes(word) && !reached.has(word)) reached.set(word, performance.now());
              wake();
            },
            onOpaque: () => undefined,
            onFlight: () => undefined,
            now: Date.now,
            log: () => undefined,
            env,
          });
    if (gateway !== null) closing.push(() => gateway.close());
    agent = await kind.prepare({
      cwd: folder,
      args: [],
      env: { ...env, ...(gateway !== null && directToLoopback(env)) },
      mode: 'owned',
      isUnattended: false,
      bridge: {
        ...request.bridgeCommand,
        env: { [socketVariable]: bridge.socketPath, [keyVariable]: bridge.key },
      },
      modelUrl: gateway?.url ?? modelUrl,
      instructions:
        'This is a test of the connection: answer every message with the word ok, and nothing else.',
      member: 'svc doctor',
      runFolder: folder,
      events: {
        onEvidence(ids, state) {
          for (const id of ids) evidence.set(id, state);
          wake();
        },
        onTurn(active) {
          isTurn = active;
          wake();
        },
        onTranscript: (line) => void said.push(line),
      },
      log: () => undefined,
    });
    const running = agent;
    yield {
      check: 'registration',
      isOk: true,
      detail: 'the bridge is registered, and will be removed again',
    };
    await running.start();
    const transports = kind.descriptor.capabilities.canSteer
      ? (['wake', 'steer'] as const)
      : (['wake'] as const);
    for (const transport of transports)
      yield await tryTransport(transport, (bundle) => running[transport](bundle));
    yield {
      check: 'bridge',
      isOk: isInitialized,
      detail: isInitialized ? 'the agent speaks MCP with it' : 'the agent did not start it',
    };
  } finally {
    await agent?.stop();
    await agent?.restore();
    for (const close of closing.reverse()) await close();
    exitPaths.release();
  }

  async function tryTransport(
    transport: string,
    send: (bundle: Bundle) => Promise<void>,
  ): Promise<SelfTestResult> {
    const word = `nonce-${randomBytes(8).toString('hex')}`;
    const startedAt = performance.now();
    evidence.set(word, 'queued');
    await send({ messageIds: [word], text: `Please answer with ok. (${word})` });
    const isThere = await until(() => reached.has(word) || evidence.get(word) === 'in_context');
    const ms = Math.round((reached.get(word) ?? performance.now()) - startedAt);
    await until(() => !isTurn);
    const proof = reached.has(word) ? 'in the model’s request' : `evidence: ${evidence.get(word)}`;
    return isThere
      ? { check: transport, isOk: true, detail: `a message reached the model in ${ms} ms (${proof})` }
      : {
          check: transport,
          isOk: false,
          detail: `no message reached the model within ${patienceMs / 1000} s (${proof}): ${said.slice(-3).join(' / ').slice(0, 300)}`,
        };
  }
}
