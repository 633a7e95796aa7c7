/**
 * The MCP server that an agent starts: it knows nothing about the team and asks the runner for everything. It
 * uses the classic handshake, so that agents with channels register it (specification/runner.md#parts).
 */
import process from 'node:process';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { reasonOf } from '#platform/error-text.ts';
import type { Env } from '#protocol/paths.ts';
import { keyVariable, socketVariable } from './bridge-protocol.ts';
import { connectToRunner, type RunnerConnection } from './runner-connection.ts';

const asText = (error: unknown) => ({
  content: [{ type: 'text' as const, text: reasonOf(error) }],
  isError: true,
});

/**
 * Serves until the agent closes its end, or the runner is gone. Resolves with the exit code. @throws Error
 * with one sentence.
 */
export async function runMcpBridge(env: Env, version: string): Promise<number> {
  const [socketPath, key] = [env[socketVariable], env[keyVariable]];
  if (!socketPath || !key)
    throw new Error(
      `${socketVariable} and ${keyVariable} are not set. Do not run this command yourself; "svc run" starts the agent that runs it.`,
    );
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  // The runner may send before there is a server; then the agent has not asked for its tools yet.
  let agent: Server | null = null;
  let inbox: Inbox | null = null;
  const runner = await connectToRunner({
    socketPath,
    key,
    client: 'bridge',
    onToolsChanged: () => void agent?.sendToolListChanged().catch(() => undefined),
    onInboxChanged: () => inbox?.changed(),
    onChannel: (content, meta) =>
      void agent
        ?.notification({ method: 'notifications/claude/channel', params: { content, meta } })
        .catch(() => undefined),
    onLost: () => end(1),
  });
  const server = new Server(
    { name: 'svc', version },
    {
      capabilities: {
        tools: { listChanged: true },
        ...(runner.hasInbox && { resources: { subscribe: true } }),
        experimental: { 'claude/channel': {} },
      },
      instructions: runner.instructions,
    },
  );
  agent = server;
  inbox = runner.hasInbox ? serveInbox(server, runner) : null;
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await runner.ask({ method: 'list' })) as [],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    try {
      const input = params.arguments ?? {};
      return (await runner.ask({ method: 'call', name: params.name, input }, signal)) as object;
    } catch (error) {
      return asText(error);
    }
  });
  server.oninitialized = () => {
    const client = server.getClientVersion();
    runner.say({
      event: 'initialized',
      client: `${client?.name ?? 'agent'} ${client?.version ?? ''}`.trim(),
    });
  };
  server.onclose = () => end(0);
  process.stdin.once('end', () => end(0)).once('close', () => end(0));
  await server.connect(new StdioServerTransport());
  const code = await ended;
  runner.close();
  return code;
}

const inboxUri = 'svc://inbox';

interface Inbox {
  /** Tells the agent, if it subscribed. */
  changed(): void;
}

/** The waiting messages as an MCP resource. Reading it is no evidence about any of them. */
function serveInbox(server: Server, runner: RunnerConnection): Inbox {
  const only = (uri: string): void => {
    if (uri !== inboxUri) throw new McpError(ErrorCode.InvalidParams, `there is no resource "${uri}"`);
  };
  let isSubscribed = false;
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      { uri: inboxUri, name: 'inbox', mimeType: 'text/plain', description: 'Messages that wait for you.' },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    only(uri);
    return {
      contents: [{ uri, mimeType: 'text/plain', text: String(await runner.ask({ method: 'inbox' })) }],
    };
  });
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
    only(uri);
    isSubscribed = true;
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    only(uri);
    isSubscribed = false;
    return {};
  });
  return {
    changed() {
      if (isSubscribed) void server.sendResourceUpdated({ uri: inboxUri }).catch(() => undefined);
    },
  };
}
