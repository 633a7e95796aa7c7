import { expect, it } from 'vitest';
import type { ActivityRow } from '#protocol/activity.ts';
import { gistOf, objectiveOf } from './activity-gist.rules.ts';

const titleById = new Map<string | undefined, string>([['o1', 'Draw the map']]);
const exchange = (model: string | null, content: object[]) => ({
  kind: 'llm_exchange',
  entry: { model, response: { messages: [{ role: 'assistant', content }] } },
});

it.each<[string, object, string]>([
  [
    'an exchange',
    exchange('m1', [
      { type: 'tool_use', name: 'read' },
      { type: 'text', text: 'Done.' },
    ]),
    'm1 · calls read · Done.',
  ],
  [
    'an exchange without a model or an answer',
    { kind: 'llm_exchange', entry: { model: null, response: null } },
    'a model',
  ],
  [
    'a request',
    { kind: 'opaque_http', entry: { method: 'GET', host: 'a.example', status: 200 } },
    'GET a.example 200',
  ],
  ['a known objective', { kind: 'objective_open', objectiveId: 'o1' }, 'Draw the map'],
  ['an unknown objective', { kind: 'objective_open', objectiveId: 'o2' }, 'o2'],
])('describes %s in one line', (_case, event, gist) => {
  const row = { id: 1, event } as unknown as ActivityRow;
  expect(gistOf(row, titleById.get(objectiveOf(row)))).toBe(gist);
});

it('shortens a long text', () => {
  const row = { id: 1, event: exchange('m1', [{ type: 'text', text: 'x'.repeat(500) }]) };
  expect(gistOf(row as unknown as ActivityRow, undefined)).toHaveLength('m1 · '.length + 160);
});
