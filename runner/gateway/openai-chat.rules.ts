/** OpenAI's Chat Completions API, which many other services use. */
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

function partOf(part: Json): ContentBlock {
  if (part.type === 'text') return textBlock(textOf(part.text) ?? '');
  if (part.type === 'refusal') return { ...textBlock(textOf(part.refusal) ?? ''), isRefusal: true };
  if (part.type === 'image_url')
    return imageAt(isRecord(part.image_url) ? part.image_url.url : part.image_url);
  return unknownBlock(part);
}

function callOf(value: unknown): ContentBlock {
  const call = recordOf(value);
  const called = recordOf(call.function ?? call.custom ?? call);
  const input = textOf(called.arguments) ?? textOf(called.input) ?? '';
  return toolUse(call.id, called.name, argumentsOf(input));
}

/** `system` and `developer` entries stay among the messages, where they were. */
function messageOf(value: unknown): ModelMessage {
  const message = recordOf(value);
  const role = textOf(message.role) ?? 'assistant';
  const said = blocksOf(message.content, partOf);
  if (role === 'tool' || role === 'function')
    return { role, content: [toolResult(message.tool_call_id ?? message.name, said, null)] };
  const thought = textOf(message.reasoning_content) ?? textOf(message.reasoning) ?? '';
  const refused = textOf(message.refusal) ?? '';
  const calls = [
    ...listOf(message.tool_calls),
    ...(isRecord(message.function_call) ? [message.function_call] : []),
  ];
  return {
    role,
    content: [
      ...(thought === '' ? [] : [thinkingBlock(thought)]),
      ...said,
      ...(refused === '' ? [] : [{ ...textBlock(refused), isRefusal: true }]),
      ...calls.map(callOf),
    ],
  };
}

/** `inputTokens` also counts what was read from the cache. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  return {
    inputTokens: countOf(value.prompt_tokens),
    outputTokens: countOf(value.completion_tokens),
    cacheReadInputTokens: countOf(recordOf(value.prompt_tokens_details).cached_tokens),
    cacheCreationInputTokens: null,
  };
}

interface Call {
  id: unknown;
  name: string;
  arguments: string;
}

/** A choice of a stream, put together from its chunks. */
interface Growing {
  role: string;
  content: string;
  reasoning: string;
  refusal: string;
  callByIndex: Map<unknown, Call>;
}

function addDelta(growing: Growing, delta: Json): void {
  growing.role = textOf(delta.role) ?? growing.role;
  growing.content += textOf(delta.content) ?? '';
  growing.reasoning += textOf(delta.reasoning_content) ?? textOf(delta.reasoning) ?? '';
  growing.refusal += textOf(delta.refusal) ?? '';
  const pieces = listOf(delta.tool_calls).map(recordOf);
  if (isRecord(delta.function_call)) pieces.push({ index: 'function', function: delta.function_call });
  for (const piece of pieces) {
    const place = piece.index ?? piece.id;
    const call = growing.callByIndex.get(place) ?? { id: piece.id, name: '', arguments: '' };
    const called = recordOf(piece.function);
    call.name += textOf(called.name) ?? '';
    call.arguments += textOf(called.arguments) ?? '';
    growing.callByIndex.set(place, call);
  }
}

function grown({ role, content, reasoning, refusal, callByIndex }: Growing): Json {
  const calls = [...callByIndex.values()].map((call) => ({ id: call.id, function: call }));
  return { role, content, reasoning, refusal, tool_calls: calls };
}

export const openaiChat: WireFormat = {
  readRequest(body) {
    const asked = recordOf(body);
    return {
      model: textOf(asked.model),
      request: {
        system: null,
        messages: listOf(asked.messages).map(messageOf),
        tools: toolsOf(asked.tools),
        maxTokens: numberOf(asked.max_completion_tokens) ?? numberOf(asked.max_tokens),
        temperature: numberOf(asked.temperature),
      },
    };
  },

  readStream(events) {
    let model: string | null = null;
    let stopReason: string | null = null;
    let usage: Usage | null = null;
    let error: Json | null = null;
    const growingByChoice = new Map<unknown, Growing>();
    for (const event of events) {
      model = textOf(event.model) ?? model;
      usage = usageOf(event.usage) ?? usage;
      error = errorOf(event) ?? error;
      for (const choice of listOf(event.choices).map(recordOf)) {
        const none = { role: 'assistant', content: '', reasoning: '', refusal: '', callByIndex: new Map() };
        const growing = growingByChoice.get(choice.index) ?? none;
        growingByChoice.set(choice.index, growing);
        addDelta(growing, recordOf(choice.delta));
        stopReason = textOf(choice.finish_reason) ?? stopReason;
      }
    }
    if (growingByChoice.size === 0 && error === null) return null;
    const messages = [...growingByChoice.values()].map((growing) => messageOf(grown(growing)));
    return {
      model,
      isWhole: stopReason !== null,
      response: { messages, stopReason, status: null, usage, ...(error !== null && { error }) },
    };
  },

  readReply(body) {
    const error = errorOf(body);
    if (!Array.isArray(body.choices) && error === null) return null;
    const choices = listOf(body.choices).map(recordOf);
    return {
      model: textOf(body.model),
      isWhole: true,
      response: {
        messages: choices.map((choice) => messageOf(choice.message)),
        stopReason: textOf(choices[0]?.finish_reason),
        status: null,
        usage: usageOf(body.usage),
        ...(error !== null && { error }),
      },
    };
  },
};
