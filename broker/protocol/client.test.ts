import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestOf } from './client.ts';
import { BrokerError } from './errors.ts';
import { operationRoutes } from './operation-routes.ts';
import type { OperationId } from './operations.ts';

const base = 'http://broker.example';
const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)|(\*)/g)].map(([, name]) => name ?? '*');
const ids = (Object.keys(operationRoutes) as OperationId[]).filter(
  (id) => namesIn(operationRoutes[id].path).length > 0,
);

/** Returns a pattern for the paths that a request for the operation may address, whoever reads the address. */
const addressOf = (id: OperationId): RegExp =>
  new RegExp(`^${operationRoutes[id].path.replaceAll(/:\w+/g, '[^/]+').replace('*', '.*')}$`);

const dots = fc.constantFrom(
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '.%2e',
  '',
  '/',
  '\\',
  '?',
  '#',
  '%2f',
  '\t',
  '\n',
  'a',
);
const hostile = fc.oneof(
  fc.array(dots, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string(),
);

describe('a request', () => {
  it.each(['.', '..', ''])('is refused if "%s" stands for a name or an id', (name) => {
    expect(() => requestOf('objective', { params: { id: name } })).toThrow(BrokerError);
  });

  it.each(['../../briefing', '..', 'a/./b', 'a/..'])('is refused if the path is "/%s"', (path) => {
    expect(() => requestOf('readFile', { params: { '*': path } })).toThrow(
      `the path "/${path}" must not have "." or ".." as a segment`,
    );
  });

  it('addresses its own operation, whatever the caller passes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ids), hostile, (id, value) => {
        const names = namesIn(operationRoutes[id].path);
        let url: string;
        try {
          ({ url } = requestOf(id, { params: Object.fromEntries(names.map((name) => [name, value])) }));
        } catch (error) {
          expect(error).toBeInstanceOf(BrokerError);
          return;
        }
        const { pathname, search, hash } = new URL(url, base);
        expect([pathname, search, hash]).toEqual([url, '', '']);
        expect(pathname).toMatch(addressOf(id));
      }),
      { numRuns: 5000 },
    );
  });
});
