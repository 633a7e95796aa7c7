/** Events for tests, distinguished by a name. */
import type { ActivityEvent } from '#protocol/activity.ts';

export const exchangeNamed = (name: string, text = ''): Extract<ActivityEvent, { kind: 'llm_exchange' }> => ({
  kind: 'llm_exchange',
  ts: 1_700_000_000_000,
  duration: 5,
  entry: {
    kind: 'anthropic_messages',
    provider: 'anthropic',
    model: name,
    startedAt: 1_700_000_000_000,
    endedAt: 1_700_000_000_005,
    request: {
      system: null,
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      tools: null,
      maxTokens: null,
      temperature: null,
    },
    response: null,
  },
});

/** Returns the name of an event, or of its line. */
export function nameOf(event: unknown): string {
  const value = typeof event === 'string' ? JSON.parse(event) : event;
  return (value as ReturnType<typeof exchangeNamed>).entry.model ?? '';
}
