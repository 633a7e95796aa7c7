/**
 * A model server on loopback that behaves like the Anthropic API, with scripted answers, for tests with the
 * real Claude Code.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { breakOff, breaksOff, eventText, type Refusal, refuse } from './scripted-refusal.ts';

export type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; name: string; input: Record<string, unknown> };

export interface ModelRequest {
  model: string;
  system?: unknown;
  messages: { role: string; content: unknown }[];
  tools?: { name: string }[];
}

/** Answers a request of the main conversation with the blocks of one reply. */
export type Script = (request: ModelRequest, turn: number) => Block[] | Promise<Block[]>;

export interface ScriptedModel {
  url: string;
  /** The requests of the main conversation, which are those that offer tools, that it answered. */
  requests: ModelRequest[];
  /** The requests of the main conversation that it refused. */
  refused: ModelRequest[];
  /** How it answers until this changes; null: as scripted. */
  refusal: Refusal | null;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const usage = {
  input_tokens: 11,
  output_tokens: 7,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};
const startOf = (model: string): string =>
  eventText('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      usage,
    },
  });

/** https://docs.claude.com/en/docs/build-with-claude/streaming#error-events */
function breakOffAfterText(response: ServerResponse, model: string, isReset: boolean): void {
  const begin = [
    startOf(model),
    eventText('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    eventText('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'I begin' } }),
  ];
  const error = eventText('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  breakOff(response, isReset, begin.join(''), error);
}

function stream(response: ServerResponse, model: string, blocks: readonly Block[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (event: string, data: object) => response.write(eventText(event, data));
  response.write(startOf(model));
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') {
      say('content_block_start', { index, content_block: { type: 'text', text: '' } });
      say('content_block_delta', { index, delta: { type: 'text_delta', text: block.text } });
    } else {
      const id = `toolu_${Math.random().toString(36).slice(2)}`;
      say('content_block_start', {
        index,
        content_block: { type: 'tool_use', id, name: block.name, input: {} },
      });
      say('content_block_delta', {
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      });
    }
    say('content_block_stop', { index });
  }
  const stopReason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  say('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: 7 },
  });
  say('message_stop', {});
  response.end();
}

export async function startScriptedAnthropic(script: Script): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
      response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
      return;
    }
    if (request.url.includes('count_tokens')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":10}');
      return;
    }
    const asked = JSON.parse(body) as ModelRequest;
    const isMain = (asked.tools?.length ?? 0) > 0;
    if (model.refusal !== null) {
      if (isMain) model.refused.push(asked);
      if (breaksOff(model.refusal))
        breakOffAfterText(response, asked.model, model.refusal === 'reset in mid-answer');
      else refuse(request, response, model.refusal);
      return;
    }
    if (isMain) requests.push(asked);
    const blocks = isMain
      ? await script(asked, requests.length - 1)
      : [{ type: 'text' as const, text: 'ok' }];
    stream(response, asked.model, blocks);
  });
  const model: ScriptedModel = {
    url: '',
    requests,
    refused: [],
    refusal: null,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  model.url = `http://127.0.0.1:${port}`;
  return model;
}
