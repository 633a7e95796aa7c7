import { expect, it } from 'vitest';
import { devicePage } from './device-list.rules.ts';
import type { TokenRow } from './tokens.rules.ts';

const row = (id: string, over: Partial<TokenRow> = {}): TokenRow => ({
  ...{ id, member: 'ben', hash: `sha256:${id}`, label: '', origin: 'enroll', createdAt: 1 },
  ...{ createdBy: null, lastUsedAt: null, expiresAt: null, ...over },
});
const facts = { isPrimary: ({ id }: TokenRow) => id === 'b' };

it('answers pages in the order of the ids, also after one that is gone', () => {
  const rows = [row('d'), row('b'), row('a')];
  const ids = (after: string | undefined, limit: number) =>
    devicePage(rows, { limit, after }, facts).map(({ id }) => id);
  expect(ids(undefined, 2)).toEqual(['a', 'b']);
  expect(ids('c', 2)).toEqual(['d']);
  expect(ids('d', 2)).toEqual([]);
});

it('says which token is primary, of a run, and where it was used, and nothing of its hash', () => {
  const [run, primary] = devicePage(
    [row('a', { origin: 'run', lastAddress: '192.0.2.1' }), row('b')],
    { limit: 9 },
    facts,
  );
  expect(run).toMatchObject({ isRun: true, isPrimary: false, address: '192.0.2.1', origin: 'enroll' });
  expect(primary).toMatchObject({ isRun: false, isPrimary: true, address: null });
  expect(JSON.stringify([run, primary])).not.toContain('sha256');
});
