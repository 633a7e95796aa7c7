/** Long requests and answers of OpenAI's Responses API. */
import { sseText } from '../../../runner/gateway/testing/sse-text.ts';

const words =
  'the function returns "a list" of {values} for each\nfile in src/main.ts — café, 42 lines'.split(' ');
const textOf = (length: number, seed: number): string => {
  let text = '';
  for (let n = seed; text.length < length; n = (n * 1_103_515_245 + 12_345) % 2_147_483_648)
    text += `${words[n % words.length]} `;
  return text;
};

/** A request of a conversation that has grown to about so many bytes. */
export function longRequest(bytes: number): Buffer {
  const items = Array.from({ length: Math.ceil(bytes / 4300) }, (_, n) => ({
    type: 'message',
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: n % 2 === 0 ? 'input_text' : 'output_text', text: textOf(4000, n + 1) }],
  }));
  const tools = [{ type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }];
  return Buffer.from(JSON.stringify({ model: 'gpt-x', stream: true, tools, input: items }));
}

/** The stream of an answer of about so many bytes, in small pieces. */
export function longAnswer(bytes: number): Buffer {
  const text = textOf(bytes / 8, 7);
  const deltas = text.match(/.{1,24}/gs) ?? [];
  const item = { type: 'message', id: 'm1', role: 'assistant' };
  const done = { ...item, content: [{ type: 'output_text', text }] };
  const usage = { input_tokens: 1000, output_tokens: 500, input_tokens_details: { cached_tokens: 0 } };
  const response = { id: 'r1', model: 'gpt-x', status: 'completed', usage };
  return Buffer.from(
    sseText([
      { type: 'response.created', response: { id: 'r1', model: 'gpt-x', status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      ...deltas.map((delta, n) => ({
        type: 'response.output_text.delta',
        output_index: 0,
        item_id: 'm1',
        sequence_number: n,
        delta,
      })),
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.completed', response },
    ]),
  );
}
