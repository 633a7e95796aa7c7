import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

/**
 * What each persona is answered, by hand. anonymous: no credential; outsider: a credential nobody has; self: the member that the
 * request names; other: another member without permissions; manager: holds members.manage.
 */
const golden: Partial<Record<OperationId, Record<Persona, number>>> = {
  health: { anonymous: 200, outsider: 200, self: 200, other: 200, manager: 200 },
  setUp: { anonymous: 409, outsider: 409, self: 409, other: 409, manager: 409 },
  openapi: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  briefing: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  roster: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  push: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
  subscribe: { anonymous: 401, outsider: 401, self: 200, other: 403, manager: 403 },
  history: { anonymous: 401, outsider: 401, self: 200, other: 200, manager: 200 },
};

type Persona = 'anonymous' | 'outsider' | 'self' | 'other' | 'manager';
const memberOf: Record<Persona, string | null> = {
  anonymous: null,
  outsider: 'nobody',
  self: 'ben',
  other: 'dan',
  manager: 'ada',
};

/** A request of each operation that is right in itself, naming ben where it names anybody. */
const requests: Partial<Record<OperationId, { query?: string; body?: unknown }>> = {
  setUp: { body: { team: { name: 'T' }, admin: { name: 'eve', role: { title: 'Boss' } } } },
  push: { body: { to: 'ben', body: 'x' } },
  subscribe: { query: '?name=ben' },
};

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({ members: { ada: ['members.manage'], ben: [], dan: [] } });
});
afterAll(() => team.stop());

const cases = Object.entries(golden).flatMap(([id, row]) =>
  Object.entries(row).map(([persona, status]) => [id as OperationId, persona as Persona, status] as const),
);

it.each(cases)('%s by %s answers %d', async (id, persona, status) => {
  const operation: Operation = operations[id];
  const { query = '', body } = requests[id] ?? {};
  const name = memberOf[persona];
  const headers: Record<string, string> = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  if (name !== null) headers.authorization = `Bearer ${team.token(name) || `svc_${'x'.repeat(43)}`}`;
  const reply = await fetch(team.url + operation.path.replace(':name', 'ben') + query, {
    method: operation.method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(reply.status).toBe(status);
  if (status === 401) expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  await reply.body?.cancel();
});
