/**
 * The model of the demo: a server on loopback that speaks the Anthropic Messages API and answers by `scene.rules.ts`, at
 * the pace of a model.
 */
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { parsedJson } from '#client/untrusted-json.ts';
import { listenOnLoopback } from '../../runner/gateway/loopback-server.ts';
import { answerOf, type Block } from './scene.rules.ts';

export const modelName = 'demo-script-1';

const Request = z.object({
  system: z.string(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
    }),
  ),
});

/** The pace of the model: its time to think, and the size and time of each piece that it writes. */
const [thinkMs, pieceMs, pieceCharacters] = [1400, 90, 24];
const charactersPerToken = 4;

async function stream(
  response: ServerResponse,
  blocks: readonly Block[],
  inputTokens: number,
  isGone: () => boolean,
): Promise<void> {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const usage = {
    input_tokens: inputTokens,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  send('message_start', {
    message: {
      id: `msg_${Date.now()}`,
      type: 'message',
      role: 'assistant',
      model: modelName,
      content: [],
      stop_reason: null,
      usage,
    },
  });
  let written = 0;
  for (const [index, block] of blocks.entries()) {
    const isText = block.type === 'text';
    const whole = isText ? block.text : JSON.stringify(block.input);
    written += whole.length;
    const empty = isText
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `toolu_${crypto.randomUUID().slice(0, 8)}`, name: block.name, input: {} };
    send('content_block_start', { index, content_block: empty });
    for (let at = 0; at < whole.length && !isGone(); at += pieceCharacters) {
      const piece = whole.slice(at, at + pieceCharacters);
      send('content_block_delta', {
        index,
        delta: isText
          ? { type: 'text_delta', text: piece }
          : { type: 'input_json_delta', partial_json: piece },
      });
      await pause(pieceMs);
    }
    send('content_block_stop', { index });
  }
  const stopReason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  send('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: Math.ceil(written / charactersPerToken) },
  });
  send('message_stop', {});
  response.end();
}

export interface ScriptedModel {
  url: string;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const startedAt = Date.now();
  const { port, close } = await listenOnLoopback(async (request, response) => {
    const body = await text(request);
    const asked = request.method === 'POST' ? Request.safeParse(parsedJson(body)) : null;
    if (asked?.success !== true) {
      response.writeHead(404).end();
      return;
    }
    const { system, messages } = asked.data;
    const [, self = ''] = /^# You are (\S+),/.exec(system) ?? [];
    await pause(thinkMs);
    const tokens = Math.ceil(body.length / charactersPerToken);
    const answer = answerOf(self, messages, { known: system, startedAt });
    await stream(response, answer, tokens, () => response.destroyed);
  });
  return { url: `http://127.0.0.1:${port}`, close };
}
