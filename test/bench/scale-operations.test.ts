import { describe, expect, it } from 'vitest';
import { operations } from '#protocol/operations.ts';
import { scaleOperations } from './scale-operations.ts';

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
