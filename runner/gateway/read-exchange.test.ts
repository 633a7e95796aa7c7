/** Arbitrary exchanges in any format; read-anthropic-exchange.test.ts and read-openai-exchange.test.ts have the formats. */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { ExchangeKind } from './exchange-parts.rules.ts';
import { entryOf, seen } from './testing/seen-exchange.ts';

describe('an exchange of any format', () => {
  const kinds: ExchangeKind[] = ['anthropic_messages', 'openai_responses', 'openai_chat'];
  const names = fc.constantFrom(
    ...[
      'type',
      'role',
      'content',
      'messages',
      'input',
      'output',
      'item',
      'response',
      'choices',
      'delta',
      'index',
      'message',
      'error',
    ],
    ...[
      'usage',
      'input_tokens',
      'tools',
      'system',
      'source',
      'image_url',
      'tool_calls',
      'function',
      'arguments',
      'max_tokens',
      '__proto__',
    ],
  );
  const leaves = fc.oneof(
    fc.constantFrom(
      'message_start',
      'content_block_start',
      'content_block_delta',
      'tool_use',
      'image',
      'tool_result',
      'response.completed',
    ),
    fc.constantFrom(
      'response.output_item.added',
      'response.output_text.delta',
      'reasoning',
      'data:image/png;base64,AA',
      'x',
    ),
    fc.constantFrom(Number.POSITIVE_INFINITY, -1, 1.5, 0, null, true, 7),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      leaves,
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(names, tie('json'), { maxKeys: 5 }),
    ),
  }));

  it('is a valid event whatever was sent and answered', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        json,
        fc.array(json, { maxLength: 6 }),
        fc.boolean(),
        (kind, asked, events, isStream) => {
          const text = (value: unknown): string => JSON.stringify(value)?.replaceAll('null', '1e999') ?? '';
          const responseText = isStream
            ? events.map((event) => `data: ${text(event)}\n\n`).join('')
            : text(events[0]);
          const contentType = isStream ? 'text/event-stream' : 'application/json';
          entryOf(seen(kind, { requestText: text(asked), responseText, contentType }));
        },
      ),
      { numRuns: 600 },
    );
  });
});
