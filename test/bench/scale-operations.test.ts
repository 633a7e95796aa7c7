import { describe, expect, it } from 'vitest';
import { operations } from '#protocol/operations.ts';
import { scaleOperations, untimedReads } from './scale-operations.ts';

const reads = Object.entries(operations)
  .filter(([, { method }]) => method === 'GET')
  .map(([id]) => id);
const timed = new Set<string>(scaleOperations.map(({ operation }) => operation));

describe('a read of the contract table', () => {
  it.each(reads)('is timed by the bench, or has a reason why not: %s', (id) => {
    const isTimed = timed.has(id);
    const reason = Object.entries(untimedReads).find(([untimed]) => untimed === id)?.[1];
    expect(
      isTimed !== (reason !== undefined),
      `"${id}" needs either a row or a reason in test/bench/scale-operations.ts. See CONTRIBUTING.md#adding-a-read`,
    ).toBe(true);
  });
});

describe('the list of reads that the bench does not time', () => {
  it('has only reads', () => {
    expect(reads).toEqual(expect.arrayContaining(Object.keys(untimedReads)));
  });
});

describe('a request of the bench', () => {
  const server = { port: 0, cpuSeconds: () => 0 };
  const fixed = scaleOperations.filter(
    ({ operation, request }) => request !== null && operation !== 'receipts',
  );

  it.each(fixed)('matches its row: $title', async ({ operation, request }) => {
    const line = (await request!(server)).split(' HTTP/1.1')[0]!;
    const [method = '', target = ''] = line.split(' ');
    const row = operations[operation];
    const { pathname, searchParams } = new URL(target, 'http://127.0.0.1');
    expect(method).toBe(row.method);
    expect(pathname).toMatch(new RegExp(`^${row.path.replace(/:\w+/g, '[\\w-]+')}$`));
    if ('query' in row) expect(() => row.query.parse(Object.fromEntries(searchParams))).not.toThrow();
    else expect([...searchParams]).toEqual([]);
  });

  it('has a name of its own', () => {
    const titles = scaleOperations.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});
