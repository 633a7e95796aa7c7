/** Anthropic's Messages API. */
import type { ContentBlock } from '#protocol/activity.ts';
import {
  blocksOf,
  imageOf,
  textBlock,
  thinkingBlock,
  toolResult,
  toolsOf,
  toolUse,
  unknownBlock,
} from './content-blocks.rules.ts';
import { errorOf, type ModelMessage, type Usage, type WireFormat } from './exchange-parts.rules.ts';
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

function blockOf(part: Json): ContentBlock {
  const type = textOf(part.type) ?? '';
  if (type === 'text') return textBlock(textOf(part.text) ?? '');
  if (type === 'thinking') return thinkingBlock(textOf(part.thinking) ?? '');
  if (type === 'redacted_thinking') return { ...thinkingBlock(''), isRedacted: true };
  if (type === 'image') return imageOf(part.source);
  if (type === 'tool_use' || type.endsWith('_tool_use')) return toolUse(part.id, part.name, part.input);
  if (type === 'tool_result' || type.endsWith('_tool_result')) {
    const isError = typeof part.is_error === 'boolean' ? part.is_error : null;
    return toolResult(part.tool_use_id, blocksOf(part.content, blockOf), isError);
  }
  return unknownBlock(part);
}

/**
 * `system` entries among the messages are kept, because what reaches the model in the middle of a turn comes
 * as one.
 */
function messageOf(value: unknown): ModelMessage {
  const { role, content } = recordOf(value);
  return { role: textOf(role) ?? 'unknown', content: blocksOf(content, blockOf) };
}

function systemOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const texts = listOf(value).flatMap((part) => textOf(recordOf(part).text) ?? []);
  return texts.length > 0 ? texts.join('\n\n') : null;
}

/** `inputTokens` does not count what was read from the cache or written to it. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  return {
    inputTokens: countOf(value.input_tokens),
    outputTokens: countOf(value.output_tokens),
    cacheReadInputTokens: countOf(value.cache_read_input_tokens),
    cacheCreationInputTokens: countOf(value.cache_creation_input_tokens),
  };
}

/** A block of a stream with its deltas, put together before anything else reads it. */
interface Growing {
  part: Json;
  text: string;
}

function grown({ part, text }: Growing): Json {
  const type = textOf(part.type) ?? '';
  if (type === 'text') return { ...part, text: (textOf(part.text) ?? '') + text };
  if (type === 'thinking') return { ...part, thinking: (textOf(part.thinking) ?? '') + text };
  return type.endsWith('tool_use') && text !== '' ? { ...part, input: argumentsOf(text) } : part;
}

const deltaFields = ['text', 'thinking', 'partial_json'] as const;

export const anthropicMessages: WireFormat = {
  readRequest(body) {
    const asked = recordOf(body);
    return {
      model: textOf(asked.model),
      request: {
        system: systemOf(asked.system),
        messages: listOf(asked.messages).map(messageOf),
        tools: toolsOf(asked.tools),
        maxTokens: numberOf(asked.max_tokens),
        temperature: numberOf(asked.temperature),
      },
    };
  },

  readStream(events) {
    let message: Json | null = null;
    let usage: Json = {};
    let stopReason: string | null = null;
    let isWhole = false;
    let error: Json | null = null;
    const growingByIndex = new Map<unknown, Growing>();
    for (const event of events) {
      if (event.type === 'message_start') {
        message = recordOf(event.message);
        usage = { ...recordOf(message.usage) };
      } else if (event.type === 'content_block_start')
        growingByIndex.set(event.index, { part: recordOf(event.content_block), text: '' });
      else if (event.type === 'content_block_delta') {
        const growing = growingByIndex.get(event.index);
        const delta = recordOf(event.delta);
        for (const field of deltaFields) if (growing) growing.text += textOf(delta[field]) ?? '';
      } else if (event.type === 'message_delta') {
        stopReason = textOf(recordOf(event.delta).stop_reason) ?? stopReason;
        for (const [name, count] of Object.entries(recordOf(event.usage)))
          if (count !== null) usage[name] = count;
      } else if (event.type === 'message_stop') isWhole = true;
      else if (event.type === 'error') error = errorOf(event);
    }
    if (message === null && error === null) return null;
    const content = [...growingByIndex.values()].map((growing) => blockOf(grown(growing)));
    return {
      model: textOf(message?.model),
      isWhole: isWhole && message !== null,
      response: {
        messages: message === null ? [] : [{ role: textOf(message.role) ?? 'assistant', content }],
        stopReason,
        status: null,
        usage: Object.keys(usage).length > 0 ? usageOf(usage) : null,
        ...(error !== null && { error }),
      },
    };
  },

  readReply(body) {
    const error = errorOf(body);
    if (body.type !== 'message' && error === null) return null;
    return {
      model: textOf(body.model),
      isWhole: true,
      response: {
        messages: error === null ? [messageOf({ role: 'assistant', ...body })] : [],
        stopReason: textOf(body.stop_reason),
        status: null,
        usage: usageOf(body.usage),
        ...(error !== null && { error }),
      },
    };
  },
};
