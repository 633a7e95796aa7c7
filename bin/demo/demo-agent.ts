/**
 * The agent of the demo: a process that asks its model, calls the team's tools over MCP, and gives the model their results
 * until the model is done. Its input and output are lines of JSON, as those of Claude Code without a terminal.
 */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { entryName } from '../../runner/registration/registry-file.ts';
import { modelName } from './scripted-model.ts';

const Registry = z.object({
  mcpServers: z.record(
    z.string(),
    z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  ),
});

const Line = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  message: z.object({ content: z.array(z.object({ type: z.literal('text'), text: z.string() })) }).optional(),
});

const Event = z.looseObject({
  type: z.string(),
  content_block: z
    .looseObject({ type: z.string(), id: z.string().optional(), name: z.string().optional() })
    .optional(),
  delta: z.looseObject({ text: z.string().optional(), partial_json: z.string().optional() }).optional(),
});

type Content =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean };
interface Message {
  role: 'user' | 'assistant';
  content: Content[];
}

const emit = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function connectTools(): Promise<Client> {
  const { mcpServers } = Registry.parse(JSON.parse(await readFile('.mcp.json', 'utf8')));
  const entry = mcpServers[entryName];
  if (entry === undefined) throw new Error('.mcp.json does not name the team’s tools');
  const client = new Client({ name: 'muster-demo-agent', version: '1' });
  await client.connect(new StdioClientTransport(entry));
  return client;
}

/** One exchange with the model. @throws Error if it does not answer. */
async function exchange(modelUrl: string, request: object): Promise<Content[]> {
  const reply = await fetch(`${modelUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: modelName, max_tokens: 4096, stream: true, ...request }),
  });
  if (!reply.ok || reply.body === null) throw new Error(`the model answered ${reply.status}`);
  const content: Content[] = [];
  let json = '';
  const events = reply.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) {
    const event = Event.parse(JSON.parse(data));
    const last = content.at(-1);
    if (event.type === 'content_block_start') {
      const { type, id = '', name = '' } = event.content_block ?? { type: 'text' };
      content.push(type === 'tool_use' ? { type, id, name, input: {} } : { type: 'text', text: '' });
      json = '';
    } else if (event.type === 'content_block_delta') {
      if (last?.type === 'text') last.text += event.delta?.text ?? '';
      json += event.delta?.partial_json ?? '';
    } else if (event.type === 'content_block_stop' && last?.type === 'tool_use')
      last.input = JSON.parse(json || '{}');
  }
  return content;
}

/** Resolves when the input ends. `instructions`: the file with the system prompt. */
export async function runDemoAgent(modelUrl: string, instructions: string): Promise<void> {
  const system = await readFile(instructions, 'utf8');
  const tools = await connectTools();
  const offered = (await tools.listTools()).tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  const messages: Message[] = [];

  async function call(block: Content & { type: 'tool_use' }): Promise<Content> {
    const result = await tools
      .callTool({ name: block.name, arguments: block.input as Record<string, unknown> })
      .catch((error: unknown) => ({ content: [{ type: 'text', text: String(error) }], isError: true }));
    const texts = result.content as { text?: string }[];
    return {
      type: 'tool_result',
      tool_use_id: block.id,
      content: texts.map(({ text = '' }) => text).join('\n'),
      is_error: result.isError === true,
    };
  }

  async function turn({ uuid, message }: z.infer<typeof Line>): Promise<void> {
    emit({ type: 'system', subtype: 'init' });
    emit({ type: 'user', uuid, isReplay: true });
    messages.push({ role: 'user', content: message?.content ?? [] });
    for (;;) {
      const content = await exchange(modelUrl, { system, tools: offered, messages });
      messages.push({ role: 'assistant', content });
      emit({ type: 'assistant', message: { model: modelName, content } });
      const calls = content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) {
        const result = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
        emit({ type: 'result', is_error: false, result });
        return;
      }
      const results: Content[] = [];
      for (const one of calls) results.push(await call(one));
      messages.push({ role: 'user', content: results });
    }
  }

  for await (const line of createInterface({ input: process.stdin })) {
    const read = Line.parse(JSON.parse(line));
    if (read.type !== 'user') continue;
    await turn(read).catch((error: unknown) =>
      emit({
        type: 'result',
        is_error: true,
        result: error instanceof Error ? error.message : String(error),
      }),
    );
  }
  await tools.close();
}
