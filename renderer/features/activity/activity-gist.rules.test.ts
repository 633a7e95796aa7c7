import { expect, it } from 'vitest';
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { gistOf, gistsOfExchanges, toolErrorsOf } from './activity-gist.rules.ts';

const titleById = new Map<string | undefined, string>([['o1', 'Draw the map']]);
const exchange = (over: object, isFailed = false) => ({
  kind: 'llm_exchange',
  isFailed,
  exchange: {
    ...{ model: 'm1', stopReason: null, status: null, text: '', calls: [], results: [], usage: null },
    ...over,
  },
});

it.each<[string, object, string]>([
  [
    'an exchange',
    exchange({ calls: [{ name: 'read', key: 'a' }], text: 'Done.' }),
    'Done. · calls read · m1',
  ],
  ['an exchange without a model or an answer', exchange({ model: null }), 'a model'],
  ['an exchange that failed', exchange({ status: 529 }, true), 'failed with 529 · m1'],
  [
    'a request',
    { kind: 'opaque_http', request: { method: 'GET', host: 'a.example', status: 200 } },
    'GET a.example 200',
  ],
  [
    'a request without an answer',
    { kind: 'opaque_http', request: { method: 'GET', host: 'a.example', status: null } },
    'GET a.example without an answer',
  ],
  ['a known objective', { kind: 'objective_open', objectiveId: 'o1' }, 'Draw the map'],
  ['an unknown objective', { kind: 'objective_open', objectiveId: 'o2' }, 'o2'],
  [
    'a closed objective',
    { kind: 'objective_close', objectiveId: 'o1', result: 'runner_shutdown' },
    'Draw the map: runner shutdown',
  ],
])('describes %s in one line', (_case, summary, gist) => {
  const row = { id: 1, isFailed: false, ...summary } as unknown as ActivitySummary;
  expect(gistOf(row, titleById.get(row.objectiveId))).toBe(gist);
});

it('counts the errors of tools', () => {
  const results = [{ isError: true }, { isError: false }, { isError: true }];
  expect(toolErrorsOf(exchange({ results }) as unknown as ActivitySummary)).toBe(2);
  expect(toolErrorsOf({ kind: 'opaque_http' } as ActivitySummary)).toBe(0);
});

it('leaves the model out of requests to one model, unless there is nothing else to tell', () => {
  const said = (text: string, model = 'm1') => exchange({ text, model }) as unknown as ActivitySummary;
  expect(gistsOfExchanges([said('First'), said('Second'), said('')])).toEqual(['First', 'Second', 'm1']);
  expect(gistsOfExchanges([said('First'), said('Second', 'm2')])).toEqual(['First · m1', 'Second · m2']);
});
