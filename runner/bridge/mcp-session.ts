/**
 * An MCP server for one agent over JSON lines: JSON-RPC 2.0 with requests, answers, cancellation, and
 * notifications, and nothing else of the protocol. It is our own, because the library's server takes as much memory
 * as all of the bridge (ADR 0026). Source: https://modelcontextprotocol.io/specification/2025-11-25/basic.
 */
import { reasonOf } from '#platform/error-text.ts';
import { isRecord } from './bridge-protocol.ts';

type Json = Readonly<Record<string, unknown>>;

/** An answer to one request. @throws RpcError for a request that cannot be answered. */
type Handler = (params: Json, cancelled: AbortSignal) => unknown;

export interface McpSessionOptions {
  server: { name: string; version: string };
  /** As MCP defines them. */
  capabilities: object;
  instructions(): string;
  /** By method. `initialize` and `ping` are answered by the session. */
  handlers: Readonly<Record<string, Handler>>;
  /** The handshake is complete. `client`: the agent's name and version for itself. */
  onInitialized(client: string): void;
  send(line: string): void;
}

export interface McpSession {
  /** One line that the agent sent. */
  receive(line: string): void;
  /** A line was longer than accepted. */
  refuseLong(): void;
  notify(method: string, params?: object): void;
}

/** The code of an error in JSON-RPC. */
export const rpcCodes = {
  noJson: -32700,
  noRequest: -32600,
  noMethod: -32601,
  badParams: -32602,
  internal: -32603,
} as const;

export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Newest first. A client that asks for another one gets the newest, and decides. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

type Id = string | number;
const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isInteger(value);

const nameOf = (client: unknown): string => {
  if (!isRecord(client)) return 'agent';
  const { name, version } = client;
  return `${typeof name === 'string' ? name : 'agent'} ${typeof version === 'string' ? version : ''}`.trim();
};

export function createMcpSession(options: McpSessionOptions): McpSession {
  const { server, capabilities, send } = options;
  const cancelById = new Map<Id, AbortController>();
  let client = 'agent';

  const say = (message: object): void => send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const refuse = (id: Id | null, code: number, message: string): void =>
    say({ id, error: { code, message } });

  function initialize({ protocolVersion, clientInfo }: Json): object {
    const [newest] = protocolVersions;
    client = nameOf(clientInfo);
    return {
      protocolVersion: protocolVersions.find((version) => version === protocolVersion) ?? newest,
      capabilities,
      serverInfo: server,
      instructions: options.instructions(),
    };
  }
  const handlerByMethod = new Map<string, Handler>([
    ...Object.entries(options.handlers),
    ['initialize', initialize],
    ['ping', () => ({})],
  ]);

  async function answer(id: Id, method: string, params: Json): Promise<void> {
    const handler = handlerByMethod.get(method);
    if (handler === undefined) {
      refuse(id, rpcCodes.noMethod, 'Method not found');
      return;
    }
    const cancel = new AbortController();
    cancelById.set(id, cancel);
    try {
      const result = await handler(params, cancel.signal);
      if (!cancel.signal.aborted) say({ id, result });
    } catch (error) {
      const code = error instanceof RpcError ? error.code : rpcCodes.internal;
      if (!cancel.signal.aborted) refuse(id, code, reasonOf(error));
    } finally {
      if (cancelById.get(id) === cancel) cancelById.delete(id);
    }
  }

  function hear(method: string, params: Json): void {
    if (method === 'notifications/initialized') options.onInitialized(client);
    else if (method === 'notifications/cancelled' && isId(params.requestId))
      cancelById.get(params.requestId)?.abort();
  }

  function handle(message: Json): void {
    const { id, method, params = {} } = message;
    // The answer to a request of ours; there are none.
    if (method === undefined && ('result' in message || 'error' in message)) return;
    if (message.jsonrpc !== '2.0' || typeof method !== 'string' || !(id === undefined || isId(id)))
      refuse(isId(id) ? id : null, rpcCodes.noRequest, 'Invalid Request');
    else if (!isRecord(params)) {
      if (id !== undefined) refuse(id, rpcCodes.badParams, 'params must be an object');
    } else if (id === undefined) hear(method, params);
    else void answer(id, method, params);
  }

  return {
    receive(line) {
      if (line.trim() === '') return;
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        refuse(null, rpcCodes.noJson, 'Parse error');
        return;
      }
      if (isRecord(message)) handle(message);
      else refuse(null, rpcCodes.noRequest, 'Invalid Request');
    },
    refuseLong: () => refuse(null, rpcCodes.noRequest, 'the line is too long'),
    notify: (method, params) => say({ method, ...(params && { params }) }),
  };
}
