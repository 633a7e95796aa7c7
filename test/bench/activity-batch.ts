/** An upload of events of 3 kB each, as a runner's gateway creates them. */
import { benchToken } from './bench-broker.ts';

const text = (length: number, n: number): string => `${n} word, "quoted" and more. `.repeat(length / 27);

/** The same time in every request, so that new rows come last in the indexes, as they do when time passes. */
const ts = 1_700_000_000_000;

function exchange(n: number): object {
  return {
    kind: 'llm_exchange',
    ts,
    duration: 1200,
    entry: {
      kind: 'anthropic_messages',
      provider: 'anthropic',
      model: 'model',
      startedAt: ts,
      endedAt: ts + 1200,
      request: {
        system: text(600, n),
        messages: [
          { role: 'user', content: [{ type: 'text', text: text(800, n) }] },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: `t${n}`, name: 'read', input: { path: `/f${n}` } }],
          },
          { role: 'user', content: [{ type: 'tool_result', toolUseId: `t${n}`, content: text(600, n) }] },
        ],
        tools: null,
        maxTokens: 4096,
        temperature: null,
      },
      response: {
        messages: [{ role: 'assistant', content: [{ type: 'text', text: text(400, n) }] }],
        stopReason: 'end_turn',
        status: null,
        usage: { inputTokens: 900, outputTokens: 90, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
      },
    },
  };
}

export const activityEvents = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => exchange(n));

/** Returns the whole request. */
export function activityPostOf(events: number): string {
  const body = JSON.stringify({ events: activityEvents(events) });
  return `POST /members/bench/activity HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchToken}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
