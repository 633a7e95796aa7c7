/** OpenAI's Responses API. */
import type { ContentBlock } from '#protocol/activity.ts';
import {
  blocksOf,
  imageAt,
  textBlock,
  thinkingBlock,
  toolResult,
  toolsOf,
  toolUse,
  unknownBlock,
} from './content-blocks.rules.ts';
import {
  errorOf,
  type ModelMessage,
  type ReadResponse,
  type Usage,
  type WireFormat,
} from './exchange-parts.rules.ts';
import {
  argumentsOf,
  countOf,
  isRecord,
  type Json,
  listOf,
  numberOf,
  recordOf,
  textOf,
} from './loose-json.rules.ts';

const textTypes = new Set(['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text']);

function partOf(part: Json): ContentBlock {
  const type = textOf(part.type) ?? '';
  if (textTypes.has(type)) return textBlock(textOf(part.text) ?? '');
  if (type === 'refusal') return { ...textBlock(textOf(part.refusal) ?? ''), isRefusal: true };
  if (type === 'input_image') return imageAt(part.image_url);
  return unknownBlock(part);
}

const callText = (value: unknown): unknown => (typeof value === 'string' ? argumentsOf(value) : value);

/**
 * Items that are not messages become messages of one block: calls and reasoning of the assistant, outputs of
 * the tool.
 */
function itemOf(value: unknown): ModelMessage {
  if (typeof value === 'string') return { role: 'user', content: [textBlock(value)] };
  const item = recordOf(value);
  const type = textOf(item.type) ?? 'message';
  if (type === 'message')
    return { role: textOf(item.role) ?? 'assistant', content: blocksOf(item.content, partOf) };
  if (type === 'reasoning') {
    const texts = [...listOf(item.summary), ...listOf(item.content)];
    const text = texts.flatMap((part) => textOf(recordOf(part).text) ?? []).join('\n');
    return { role: 'assistant', content: [thinkingBlock(text)] };
  }
  if (type.endsWith('_call_output')) {
    const { output } = item;
    const content =
      typeof output === 'string' || Array.isArray(output) ? blocksOf(output, partOf) : [unknownBlock(output)];
    return { role: 'tool', content: [toolResult(item.call_id, content, null)] };
  }
  if (type.endsWith('_call')) {
    const { namespace } = item;
    const input =
      type === 'custom_tool_call' ? item.input : callText(item.arguments ?? item.action ?? item.input);
    const more = typeof namespace === 'string' ? { namespace } : {};
    return { role: 'assistant', content: [toolUse(item.call_id ?? item.id, item.name ?? type, input, more)] };
  }
  return { role: 'unknown', content: [unknownBlock(item)] };
}

/** `inputTokens` also counts what was read from the cache. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  return {
    inputTokens: countOf(value.input_tokens),
    outputTokens: countOf(value.output_tokens),
    cacheReadInputTokens: countOf(recordOf(value.input_tokens_details).cached_tokens),
    cacheCreationInputTokens: null,
  };
}

function readResponse(body: Json, items: readonly unknown[], isWhole: boolean): ReadResponse {
  const error = errorOf(body);
  return {
    model: textOf(body.model),
    isWhole,
    response: {
      messages: items.map(itemOf),
      stopReason: textOf(recordOf(body.incomplete_details).reason),
      status: textOf(body.status),
      usage: usageOf(body.usage),
      ...(error !== null && { error }),
    },
  };
}

/** An item of the stream: its announcement and its deltas so far, until the complete item arrives. */
interface Growing {
  item: Json;
  text: string;
  isDone: boolean;
}

function grown({ item, text, isDone }: Growing): Json {
  if (isDone || text === '') return item;
  if (item.type === 'function_call') return { ...item, arguments: text };
  if (item.type === 'custom_tool_call') return { ...item, input: text };
  if (item.type === 'reasoning') return { ...item, summary: [{ text }] };
  return { ...item, content: text };
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

export const openaiResponses: WireFormat = {
  readRequest(body) {
    const asked = recordOf(body);
    const items = typeof asked.input === 'string' ? [asked.input] : listOf(asked.input);
    return {
      model: textOf(asked.model),
      request: {
        system: textOf(asked.instructions),
        messages: items.map(itemOf),
        tools: toolsOf(asked.tools),
        maxTokens: numberOf(asked.max_output_tokens),
        temperature: numberOf(asked.temperature),
      },
    };
  },

  readStream(events) {
    let response: Json | null = null;
    let isWhole = false;
    let error: Json | null = null;
    const growingByPlace = new Map<unknown, Growing>();
    for (const event of events) {
      const type = textOf(event.type) ?? '';
      // Some servers leave out the position; then every finished item is one of its own.
      const place = event.output_index ?? textOf(event.item_id) ?? textOf(recordOf(event.item).id);
      if (type === 'response.output_item.added')
        growingByPlace.set(place, { item: recordOf(event.item), text: '', isDone: false });
      else if (type === 'response.output_item.done')
        growingByPlace.set(place ?? event, { item: recordOf(event.item), text: '', isDone: true });
      else if (type.endsWith('.delta')) {
        const growing = growingByPlace.get(place);
        if (growing) growing.text += textOf(event.delta) ?? '';
      } else if (type === 'error') error = errorOf({ error: event.error ?? event });
      if (isRecord(event.response)) response = event.response;
      if (ends.has(type)) isWhole = true;
    }
    if (response === null && growingByPlace.size === 0 && error === null) return null;
    const items = [...growingByPlace.values()].map(grown);
    const body = { ...response, ...(error !== null && { error }) };
    return readResponse(body, items.length > 0 ? items : listOf(response?.output), isWhole);
  },

  readReply(body) {
    if (body.object !== 'response' && !Array.isArray(body.output) && errorOf(body) === null) return null;
    return readResponse(body, listOf(body.output), true);
  },
};
