/**
 * The MCP server that an agent starts: it knows nothing about the team and asks the runner for everything. It
 * uses the classic handshake, so that agents with channels register it (specification/runner.md#parts).
 */
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import type { Env } from '#protocol/paths.ts';
import { isRecord, keyVariable, socketVariable } from './bridge-protocol.ts';
import { readLines } from './input-lines.ts';
import {
  createMcpSession,
  type McpSession,
  type McpSessionOptions,
  RpcError,
  rpcCodes,
} from './mcp-session.ts';
import { connectToRunner, type RunnerConnection } from './runner-connection.ts';

const asText = (error: unknown) => ({
  content: [{ type: 'text' as const, text: reasonOf(error) }],
  isError: true,
});

/** More than the runner accepts, which refuses with a sentence for the model. */
const maxLineBytes = 16 * 1024 * 1024;

/**
 * Serves until the agent closes its end, or the runner is gone. Resolves with the exit code. @throws Error
 * with one sentence.
 */
export async function runMcpBridge(env: Env, version: string): Promise<number> {
  const [socketPath, key] = [env[socketVariable], env[keyVariable]];
  if (!socketPath || !key)
    throw new Error(
      `${socketVariable} and ${keyVariable} are not set. Do not run this command yourself; "muster run" starts the agent that runs it.`,
    );
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  // The runner may send before there is a session; then the agent has not asked for its tools yet.
  let agent: McpSession | null = null;
  let isFollowed = false;
  const runner = await connectToRunner({
    socketPath,
    key,
    client: 'bridge',
    onToolsChanged: () => agent?.notify('notifications/tools/list_changed'),
    onInboxChanged() {
      if (isFollowed) agent?.notify('notifications/resources/updated', { uri: inboxUri });
    },
    onChannel: (content, meta) => agent?.notify('notifications/claude/channel', { content, meta }),
    onLost: () => end(1),
  });
  const session = createMcpSession({
    server: { name: 'svc', version },
    capabilities: {
      tools: { listChanged: true },
      ...(runner.hasInbox && { resources: { subscribe: true } }),
      experimental: { 'claude/channel': {} },
    },
    instructions: () => runner.instructions,
    handlers: {
      ...toolHandlers(runner),
      ...(runner.hasInbox &&
        inboxHandlers(runner, (follows) => {
          isFollowed = follows;
        })),
    },
    onInitialized: (client) => runner.say({ event: 'initialized', client }),
    send: (line) => void process.stdout.write(`${line}\n`),
  });
  agent = session;
  process.stdin.once('end', () => end(0)).once('close', () => end(0));
  readLines(process.stdin, { maxBytes: maxLineBytes, onLine: session.receive, onLong: session.refuseLong });
  const code = await ended;
  runner.close();
  return code;
}

type Handlers = McpSessionOptions['handlers'];

const toolHandlers = (runner: RunnerConnection): Handlers => ({
  'tools/list': async () => ({ tools: await runner.ask({ method: 'list' }) }),
  async 'tools/call'({ name, arguments: input = {} }, cancelled) {
    if (typeof name !== 'string' || !isRecord(input))
      throw new RpcError(rpcCodes.badParams, 'name must be a text, and arguments an object');
    try {
      return await runner.ask({ method: 'call', name, input }, cancelled);
    } catch (error) {
      return asText(error);
    }
  },
});

const inboxUri = 'svc://inbox';

/** The waiting messages as an MCP resource. Reading it is no evidence about any of them. */
function inboxHandlers(runner: RunnerConnection, setFollowed: (follows: boolean) => void): Handlers {
  const only = (uri: unknown): void => {
    if (uri !== inboxUri) throw new RpcError(rpcCodes.badParams, `there is no resource "${uri}"`);
  };
  const follow =
    (follows: boolean) =>
    ({ uri }: Readonly<Record<string, unknown>>): object => {
      only(uri);
      setFollowed(follows);
      return {};
    };
  return {
    'resources/list': () => ({
      resources: [
        { uri: inboxUri, name: 'inbox', mimeType: 'text/plain', description: 'Messages that wait for you.' },
      ],
    }),
    async 'resources/read'({ uri }) {
      only(uri);
      const text = String(await runner.ask({ method: 'inbox' }));
      return { contents: [{ uri, mimeType: 'text/plain', text }] };
    },
    'resources/subscribe': follow(true),
    'resources/unsubscribe': follow(false),
  };
}
