/**
 * A model server on loopback that behaves like the OpenAI Responses API, with scripted answers, for tests
 * with the real Codex.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { breakOff, breaksOff, eventText, type Refusal, refuse } from './scripted-refusal.ts';

export type Output =
  | { type: 'text'; text: string }
  /** `namespace` is `mcp__<server>` for a tool of an MCP server and absent for a tool of Codex itself. */
  | { type: 'call'; namespace?: string; name: string; input: Record<string, unknown> }
  /** A script for the tool with which Codex's default model calls all others. */
  | { type: 'exec'; script: string };

export interface ResponsesRequest {
  model: string;
  instructions?: string;
  input: { type: string; role?: string; [field: string]: unknown }[];
  tools?: { type: string; name?: string }[];
}

/** Answers a request with the items of one response. */
export type ResponsesScript = (request: ResponsesRequest, turn: number) => Output[] | Promise<Output[]>;

export interface ScriptedResponses {
  /** The value for a provider's `base_url`, version included. */
  url: string;
  /** The requests that it answered. */
  requests: ResponsesRequest[];
  /** The requests that it refused. */
  refused: ResponsesRequest[];
  /** How it answers until this changes; null: as scripted. */
  refusal: Refusal | null;
  /** The `Authorization` header of each request; undefined if there was none. */
  authorizations: (string | undefined)[];
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function itemOf(output: Output): object {
  if (output.type === 'text')
    return {
      type: 'message',
      id: `msg_${randomUUID()}`,
      role: 'assistant',
      content: [{ type: 'output_text', text: output.text, annotations: [] }],
    };
  if (output.type === 'exec')
    return {
      type: 'custom_tool_call',
      id: `ctc_${randomUUID()}`,
      call_id: `call_${randomUUID()}`,
      namespace: 'functions',
      name: 'exec',
      input: output.script,
    };
  const { namespace, name, input } = output;
  return {
    type: 'function_call',
    id: `fc_${randomUUID()}`,
    call_id: `call_${randomUUID()}`,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    arguments: JSON.stringify(input),
  };
}

/** https://platform.openai.com/docs/api-reference/responses-streaming/response/failed */
function breakOffAfterText(response: ServerResponse, model: string, isReset: boolean): void {
  const id = `resp_${randomUUID()}`;
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  const begin = [
    eventText('response.created', { response: { id, model, status: 'in_progress', output: [] } }),
    eventText('response.output_item.added', { output_index: 0, item }),
    eventText('response.output_text.delta', {
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: 'I begin',
    }),
  ];
  const error = { code: 'server_error', message: 'The server had an error' };
  const failed = eventText('response.failed', {
    response: { id, model, status: 'failed', error, output: [] },
  });
  breakOff(response, isReset, begin.join(''), failed);
}

function stream(response: ServerResponse, model: string, outputs: readonly Output[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (type: string, data: object) => response.write(eventText(type, data));
  const id = `resp_${randomUUID()}`;
  const items = outputs.map(itemOf);
  say('response.created', { response: { id, model, status: 'in_progress', output: [] } });
  for (const [index, item] of items.entries())
    say('response.output_item.done', { output_index: index, item });
  const usage = {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 18,
  };
  say('response.completed', { response: { id, model, status: 'completed', output: items, usage } });
  response.end();
}

export async function startScriptedOpenai(script: ResponsesScript): Promise<ScriptedResponses> {
  const requests: ResponsesRequest[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.method !== 'POST' || !request.url?.startsWith('/v1/responses')) {
      response.writeHead(404).end();
      return;
    }
    const asked = JSON.parse(body) as ResponsesRequest;
    if (model.refusal !== null) {
      model.refused.push(asked);
      if (breaksOff(model.refusal))
        breakOffAfterText(response, asked.model, model.refusal === 'reset in mid-answer');
      else refuse(request, response, model.refusal);
      return;
    }
    authorizations.push(request.headers.authorization);
    requests.push(asked);
    stream(response, asked.model, await script(asked, requests.length - 1));
  });
  const model: ScriptedResponses = {
    url: '',
    requests,
    refused: [],
    refusal: null,
    authorizations,
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
  model.url = `http://127.0.0.1:${port}/v1`;
  return model;
}
