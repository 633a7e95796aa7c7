import { expect, it } from 'vitest';
import { createMcpSession, RpcError, rpcCodes } from './mcp-session.ts';

function session() {
  const said: Record<string, unknown>[] = [];
  const initialized: string[] = [];
  const ending: AbortSignal[] = [];
  const { receive, refuseLong, notify } = createMcpSession({
    server: { name: 'svc', version: '1' },
    capabilities: { tools: {} },
    instructions: () => 'you are ben',
    handlers: {
      echo: (params) => params,
      slow: (_, cancelled) => {
        ending.push(cancelled);
        return new Promise((_resolve, reject) =>
          cancelled.addEventListener('abort', () => reject(new Error('ended'))),
        );
      },
      refused: () => {
        throw new RpcError(rpcCodes.badParams, 'not this');
      },
      broken: async () => {
        throw new Error('gone');
      },
    },
    onInitialized: (client) => initialized.push(client),
    send: (line) => said.push(JSON.parse(line)),
  });
  const ask = (message: unknown): void => receive(JSON.stringify(message));
  return { said, initialized, ending, receive, ask, refuseLong, notify };
}

const error = (id: unknown, code: number) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) },
});

it.each([
  ['2024-11-05', '2024-11-05'],
  ['2025-11-25', '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
  [undefined, '2025-11-25'],
])('answers a client that asks for protocol %s with %s', async (protocolVersion, answered) => {
  const { said, ask } = session();
  ask({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion } });
  await expect
    .poll(() => said)
    .toEqual([
      {
        jsonrpc: '2.0',
        id: 0,
        result: {
          protocolVersion: answered,
          capabilities: { tools: {} },
          serverInfo: { name: 'svc', version: '1' },
          instructions: 'you are ben',
        },
      },
    ]);
});

it('reports the client when the handshake is complete', () => {
  const { initialized, ask } = session();
  const clientInfo = { name: 'codex', version: '1.2' };
  ask({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientInfo } });
  expect(initialized).toEqual([]);
  ask({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(initialized).toEqual(['codex 1.2']);
});

it.each([
  ['a ping', { jsonrpc: '2.0', id: 'a', method: 'ping' }, { jsonrpc: '2.0', id: 'a', result: {} }],
  [
    'a request',
    { jsonrpc: '2.0', id: 1, method: 'echo', params: { x: 1 } },
    { jsonrpc: '2.0', id: 1, result: { x: 1 } },
  ],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'toString' }, error(1, -32601)],
  ['a refusal', { jsonrpc: '2.0', id: 1, method: 'refused' }, error(1, -32602)],
  ['a failure', { jsonrpc: '2.0', id: 1, method: 'broken' }, error(1, -32603)],
  ['parameters in a list', { jsonrpc: '2.0', id: 1, method: 'echo', params: [] }, error(1, -32602)],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, error(1, -32600)],
  ['an id that is no id', { jsonrpc: '2.0', id: {}, method: 'ping' }, error(null, -32600)],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 1 }, error(1, -32600)],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], error(null, -32600)],
  ['a number', 1, error(null, -32600)],
])('answers %s', async (_, message, answer) => {
  const { said, ask } = session();
  ask(message);
  await expect.poll(() => said).toEqual([answer]);
});

it('answers what is no JSON, and a line that was too long', () => {
  const { said, receive, refuseLong } = session();
  receive('{"jsonrpc"');
  refuseLong();
  expect(said).toEqual([error(null, -32700), error(null, -32600)]);
});

it('answers no notification, no answer, and no empty line', async () => {
  const { said, receive, ask } = session();
  receive('');
  ask({ jsonrpc: '2.0', method: 'notifications/other' });
  ask({ jsonrpc: '2.0', method: 'echo' });
  ask({ jsonrpc: '2.0', id: 1, result: {} });
  ask({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
  ask({ jsonrpc: '2.0', id: 2, method: 'ping' });
  await expect.poll(() => said).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }]);
});

it('ends a canceled request, and does not answer it', async () => {
  const { said, ending, ask } = session();
  ask({ jsonrpc: '2.0', id: 7, method: 'slow' });
  expect(ending.map(({ aborted }) => aborted)).toEqual([false]);
  ask({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  expect(ending.map(({ aborted }) => aborted)).toEqual([true]);
  ask({ jsonrpc: '2.0', id: 8, method: 'ping' });
  await expect.poll(() => said).toEqual([{ jsonrpc: '2.0', id: 8, result: {} }]);
});

it('sends notifications with and without parameters', () => {
  const { said, notify } = session();
  notify('a');
  notify('b', { x: 1 });
  expect(said).toEqual([
    { jsonrpc: '2.0', method: 'a' },
    { jsonrpc: '2.0', method: 'b', params: { x: 1 } },
  ]);
});
