/** Records the agent's requests: a gateway for those to its model, and a proxy for the others. */
import type { ActivityEvent } from '#protocol/activity.ts';
import type { AgentKind } from '../agents/agent.ts';
import { type ModelGatewayOptions, startModelGateway } from './model-gateway.ts';
import { directToLoopback } from './proxy-environment.rules.ts';
import { startTraceProxy } from './trace-proxy.ts';

export interface CaptureOptions extends Pick<ModelGatewayOptions, 'turn' | 'onReply' | 'wantedTexts'> {
  kind: Pick<AgentKind, 'upstream' | 'descriptor'>;
  cwd: string;
  /** The agent's environment. */
  env: Readonly<Record<string, string>>;
  /** Whether exchanges with the model are recorded. */
  isTraced: boolean;
  /** Whether other requests of the agent are noted, too. */
  tracesHttp: boolean;
  /** Overrides the model's address. */
  modelUrl: string | null;
  onExchange(event: ActivityEvent): void;
  onOpaque(event: ActivityEvent): void;
  /** How many exchanges are in progress now. */
  onFlight(count: number): void;
  log: (event: string, data?: object) => void;
  tell(line: string): void;
}

export interface Capture {
  /** Base URL for the agent's model; null if the agent keeps its own. */
  modelUrl: string | null;
  /** Whether the agent's model requests come here. */
  isRecorded: boolean;
  /** The agent's environment, with what leads its requests here. */
  env: Readonly<Record<string, string>>;
}

/** Starts what the options ask for; `parts` closes it. @throws AgentError. */
export async function startCapture(parts: AsyncDisposableStack, options: CaptureOptions): Promise<Capture> {
  const { env, isTraced, tracesHttp, modelUrl, onExchange, onOpaque, onFlight, log, tell } = options;
  const { turn, onReply, wantedTexts } = options;
  const own = await options.kind.upstream({ cwd: options.cwd, env });
  const upstream = own === null || modelUrl === null ? own : { url: modelUrl, api: own.api };
  const { exchanges } = options.kind.descriptor.capabilities;
  if (isTraced && upstream === null && exchanges !== null)
    tell('the agent’s model requests cannot be redirected, so its exchanges with the model are not recorded');
  const common = { onOpaque, now: Date.now, log, env };
  const gateway =
    isTraced && upstream !== null
      ? await startModelGateway({ ...common, upstream, onExchange, onFlight, turn, onReply, wantedTexts })
      : null;
  parts.defer(() => gateway?.close());
  const proxy = tracesHttp ? await startTraceProxy(common) : null;
  parts.defer(() => proxy?.close());
  return {
    modelUrl: gateway?.url ?? modelUrl,
    isRecorded: gateway !== null,
    env: { ...env, ...(gateway !== null && directToLoopback(env)), ...proxy?.env },
  };
}
