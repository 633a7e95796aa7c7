/** Exchanges with a model that the gateway saw, and the entries that it reads from them. */
import { expect } from 'vitest';
import { ActivityEvent, type LlmExchangeEntry } from '#protocol/activity.ts';
import type { ExchangeKind } from '../exchange-parts.rules.ts';
import { parsed } from '../loose-json.rules.ts';
import { readExchange, type SeenExchange } from '../read-exchange.ts';

/** An exchange that the gateway saw, with a request in JSON; by default, it was answered with a stream. */
export const seen = (
  kind: ExchangeKind,
  { requestText = '{}', ...more }: Partial<SeenExchange> & { requestText?: string },
): SeenExchange => ({
  kind,
  provider: 'someone',
  startedAt: 1000,
  endedAt: 1250,
  httpStatus: 200,
  contentType: 'text/event-stream; charset=utf-8',
  request: parsed(requestText),
  responseText: '',
  isCut: false,
  failure: null,
  ...more,
});

/** Reads the exchange, and returns the entry of its event, which is valid. */
export function entryOf(exchange: SeenExchange): LlmExchangeEntry {
  const event = readExchange(exchange);
  expect(ActivityEvent.parse(event)).toEqual(event);
  if (event.kind !== 'llm_exchange') throw new Error(event.kind);
  expect(event).toMatchObject({ ts: 1000, duration: 250 });
  return event.entry;
}
