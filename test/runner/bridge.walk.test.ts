import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { type BridgeServer, startBridgeServer } from '../../runner/bridge/bridge-server.ts';
import { connectToRunner } from '../../runner/bridge/runner-connection.ts';
import { openTestToolbox, type TestToolbox } from './testing/test-toolbox.ts';

const svc = fileURLToPath(new URL('../../bin/muster', import.meta.url));
let team: TestBroker;
let box: TestToolbox;
let server: BridgeServer;
let initialized: string[];
const clients: Client[] = [];

beforeAll(async () => {
  team = await startTestBroker();
  box = await openTestToolbox(team, 'ben');
  initialized = [];
  server = await startBridgeServer({
    instructions: () => 'you are ben',
    list: box.toolbox.list,
    inbox: async () => 'nothing waits',
    call: box.toolbox.call,
    handOver: async (moment) => ({
      answer: { stdout: `waiting for ${moment}`, stderr: '', code: 0 },
      finish: () => undefined,
    }),
    onInitialized: (client) => void initialized.push(client),
    onGone: () => undefined,
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await server.close();
  await team.stop();
});

const environment = (over: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  SVC_RUNNER_SOCKET: server.socketPath,
  SVC_RUNNER_KEY: server.key,
  ...over,
});

async function agent(env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test-agent', version: '1.2.3' });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [svc, 'mcp-bridge'], env: environment(env) }),
  );
  return client;
}

async function failing(env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [svc, 'mcp-bridge'], { env: environment(env) });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const [code] = await once(child, 'close');
  return { code, said };
}

describe('the bridge', () => {
  it('is an MCP server with the toolbox, in the classic handshake', async () => {
    const client = await agent();
    expect(client.getServerVersion()).toMatchObject({ name: 'svc' });
    expect(client.getInstructions()).toBe('you are ben');
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true } });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(box.names());
    const result = await client.callTool({ name: 'send', arguments: { to: 'ada', body: 'hi\u2028there' } });
    expect(result.content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^delivered to ada: /) },
    ]);
    expect(await client.callTool({ name: 'send', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: 'send: to is required' }],
    });
    expect(await client.callTool({ name: 'nothing', arguments: {} })).toMatchObject({ isError: true });
    expect(initialized).toContain('test-agent 1.2.3');
  });

  it('lets the agent read on in each list that may be cut', async () => {
    const client = await agent();
    const { tools } = await client.listTools();
    const readable = tools.filter(({ inputSchema }) => inputSchema.properties?.after !== undefined);
    const lists = ['roster', 'channels_list', 'objectives_list', 'fs_ls', 'fs_shared'];
    expect(readable.map(({ name }) => name)).toEqual(lists);
    for (const { inputSchema } of readable) expect(inputSchema.properties?.after).toEqual({ type: 'string' });
    const rest = await client.callTool({ name: 'roster', arguments: { after: 'ben' } });
    expect(rest.content).toEqual([
      { type: 'text', text: expect.stringMatching(/^team .* roster:\n- cy [^\n]*$/) },
    ]);
  });

  it('says that arguments are too long, and answers the next call', async () => {
    const client = await agent();
    const text = 'x'.repeat(9 * 1024 * 1024);
    const refused = await client.callTool({
      name: 'fs_write',
      arguments: { path: '/ben/x', mimeType: 'text/plain', text },
    });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^the arguments are longer than 4 MiB\. Save the content/) }],
    });
    expect((await client.callTool({ name: 'roster', arguments: {} })).isError).toBeUndefined();
  });

  it('tells the agent that its tools changed', async () => {
    const client = await agent();
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    server.toolsChanged();
    await told;
  });

  it('has an inbox that can be read, and followed', async () => {
    const client = await agent();
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: 'svc://inbox' }]);
    expect((await client.readResource({ uri: 'svc://inbox' })).contents).toMatchObject([
      { text: 'nothing waits' },
    ]);
    await expect(client.readResource({ uri: 'svc://other' })).rejects.toThrow('there is no resource');
    const told = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    await client.subscribeResource({ uri: 'svc://inbox' });
    server.inboxChanged();
    expect(await told).toBe('svc://inbox');
  });

  it('is open when the runner sends a frame together with its welcome', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-bridge-'));
    const socketPath = join(folder, 's');
    const lines = [{ welcome: true, instructions: 'early' }, { event: 'tools changed' }];
    const runner = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    });
    await once(runner.listen(socketPath), 'listening');
    onTestFinished(() => {
      runner.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const client = await agent({ SVC_RUNNER_SOCKET: socketPath });
    expect(client.getInstructions()).toBe('early');
  });

  it('receives nothing for the channel before the agent has initialized MCP, because it would be lost', async () => {
    const told: string[] = [];
    const bridge = await connectToRunner({
      socketPath: server.socketPath,
      key: server.key,
      client: 'bridge',
      onChannel: (content) => told.push(content),
    });
    expect(server.channel('too early', {})).toBe(false);
    bridge.say({ event: 'initialized', client: 'late-agent' });
    await expect.poll(() => initialized).toContain('late-agent');
    expect(server.channel('in time', {})).toBe(true);
    await expect.poll(() => told).toEqual(['in time']);
    bridge.close();
  });

  it('says whether the agent got an answer, also when it stopped waiting for one', async () => {
    const answered: boolean[] = [];
    const asked: string[] = [];
    const slow = await startBridgeServer({
      instructions: () => '',
      list: () => [],
      inbox: async () => '',
      call: (name, _input, signal) =>
        new Promise((resolve) => {
          asked.push(name);
          if (name === 'fast') resolve({ content: [] });
          else signal.addEventListener('abort', () => resolve({ content: [] }), { once: true });
        }),
      onAnswered: (_result, isSent) => void answered.push(isSent),
      handOver: async () => null,
      onInitialized: () => undefined,
      onGone: () => undefined,
    });
    onTestFinished(() => slow.close());
    const client = await agent({ SVC_RUNNER_SOCKET: slow.socketPath, SVC_RUNNER_KEY: slow.key });
    await client.callTool({ name: 'fast', arguments: {} });
    await expect.poll(() => answered).toEqual([true]);
    const stop = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: {} }, undefined, { signal: stop.signal });
    call.catch(() => undefined);
    await expect.poll(() => asked).toEqual(['fast', 'slow']);
    stop.abort();
    await expect.poll(() => answered).toEqual([true, false]);
    client.callTool({ name: 'again', arguments: {} }).catch(() => undefined);
    await expect.poll(() => asked).toHaveLength(3);
    await client.close();
    await expect.poll(() => answered).toEqual([true, false, false]);
  });

  it('may reconnect after its connection closed', async () => {
    const first = await agent();
    await first.close();
    const second = await agent();
    expect((await second.listTools()).tools.length).toBe(box.names().length);
  });

  it('is refused while another one serves the run', async () => {
    await agent();
    const { code, said } = await failing({});
    expect(code).toBe(1);
    expect(said).toContain('another bridge already serves this run');
  });

  it('is refused with a wrong key and without a key', async () => {
    expect(await failing({ SVC_RUNNER_KEY: 'x' })).toMatchObject({ code: 1 });
    expect((await failing({ SVC_RUNNER_KEY: '' })).said).toContain('are not set');
  });

  it('accepts connections only from the same user', () => {
    expect(statSync(server.socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(server.socketPath)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['garbage', 'garbage\n'],
    ['no key', '{"id":1,"method":"list"}\n'],
    ['an array', '[]\n'],
    ['a line without end', 'x'.repeat(5 * 1024 * 1024)],
  ])('closes on %s', async (_, text) => {
    const socket = connect(server.socketPath);
    socket.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(text);
    await closed;
  });
});
