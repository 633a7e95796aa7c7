import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Plane } from './access.ts';
import { type Operation, operations } from './operations.ts';
import { endpointsOf } from './testing/specified-endpoints.ts';

const folder = fileURLToPath(new URL('../../docs/specification/', import.meta.url));
const endpoints = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => endpointsOf(`docs/specification/${name}`, readFileSync(`${folder}/${name}`, 'utf8')));
const specified = endpoints.filter(({ auth }) => auth !== null);

const rows: [string, Operation][] = Object.entries(operations);
const rowByEndpoint = new Map(rows.map(([, row]) => [`${row.method} ${row.path}`, row]));

/** The console's page and the metrics are served beside the API (specification/api.md#pages, diagnostics.md). */
const outsideTheApi = new Set(['GET /', 'GET /metrics']);

/** Rights such as `manage` narrow a dual operation (specification/README.md#notation). */
const planeOf = (auth: string): Plane =>
  (['none', 'bearer', 'session'] as const).find((plane) => auth.split(/\W+/)[0] === plane) ?? 'dual';

describe('the contract table', () => {
  it('has every endpoint that the specification has', () => {
    const unknown = endpoints.filter(
      ({ endpoint }) => !rowByEndpoint.has(endpoint) && !outsideTheApi.has(endpoint),
    );
    expect(unknown.map(({ endpoint, place }) => `${place}: ${endpoint} is not an operation`)).toEqual([]);
  });

  it('has no operation that the specification does not have', () => {
    const known = new Set(specified.map(({ endpoint }) => endpoint));
    const missing = rows.filter(([, { method, path }]) => !known.has(`${method} ${path}`));
    expect(missing.map(([id, { method, path }]) => `${id} (${method} ${path}) is not specified`)).toEqual([]);
  });

  it('accepts the credentials that the specification says', () => {
    const different = specified.flatMap(({ endpoint, auth, place }) => {
      const plane = rowByEndpoint.get(endpoint)?.plane;
      return plane === undefined || auth === null || plane === planeOf(auth)
        ? []
        : [`${place}: ${endpoint} has "${auth}", and the operation has "${plane}"`];
    });
    expect(different).toEqual([]);
  });

  it('gives the rights that the specification says', () => {
    const different = specified.flatMap(({ endpoint, auth, place }) => {
      const rule: readonly string[] = rowByEndpoint.get(endpoint)?.rule ?? [];
      const rights = (auth ?? '').match(/\bself\b|\bmanage\b|[a-z]+\.[a-z]+/g) ?? [];
      return rights
        .map((right) => (right === 'manage' ? 'members.manage' : right))
        .filter((right) => rule.length > 0 && !rule.includes(right))
        .map((right) => `${place}: ${endpoint} has "${right}", and the operation has "${rule.join(' or ')}"`);
    });
    expect(different).toEqual([]);
  });

  it('answers with the statuses that the specification says', () => {
    const text = readFileSync(`${folder}/api.md`, 'utf8').replaceAll('\n', ' ');
    const [, created = ''] =
      /except 201 for `POST (.*?), 204 for operations without a response body/.exec(text) ?? [];
    const pathsWith201 = rows
      .filter(([, { status }]) => status === 201)
      .map(([, { method, path }]) => `${method} ${path}`);
    expect((created.match(/\/[\w/:-]+/g) ?? []).map((path) => `POST ${path}`).sort()).toEqual(
      pathsWith201.sort(),
    );
    for (const [id, { reply, status }] of rows) expect(status === 204, id).toBe(reply === 'empty');
  });

  it('has a rule for every operation that needs a credential', () => {
    expect(rows.filter(([, { plane, rule }]) => plane !== 'none' && rule.length === 0)).toEqual([]);
  });

  it('says where `self` is read from wherever a rule has it', () => {
    for (const [id, { rule, self }] of rows) expect(rule.includes('self'), id).toBe(self !== undefined);
  });
});
