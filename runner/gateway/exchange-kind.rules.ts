/** The requests that are exchanges with a model, by method and path. */
import { anthropicMessages } from './anthropic-messages.rules.ts';
import type { ExchangeKind, WireFormat } from './exchange-parts.rules.ts';
import { openaiChat } from './openai-chat.rules.ts';
import { openaiResponses } from './openai-responses.rules.ts';

export const formatByKind: Record<ExchangeKind, WireFormat> = {
  anthropic_messages: anthropicMessages,
  openai_responses: openaiResponses,
  openai_chat: openaiChat,
};

/** `path` may have a query. Null for everything else, such as `/v1/messages/count_tokens`. */
export function exchangeKindOf(method: string, path: string): ExchangeKind | null {
  if (method !== 'POST') return null;
  const plain = path.replace(/[?#].*$/s, '');
  if (/\/v1\/messages\/?$/.test(plain)) return 'anthropic_messages';
  if (/\/responses\/?$/.test(plain)) return 'openai_responses';
  return /\/chat\/completions\/?$/.test(plain) ? 'openai_chat' : null;
}
