/** The tokens of the team as a page of devices (specification/authentication.md#devices). Pure. */
import type { Device, DeviceQuery } from '#protocol/token.ts';
import { type TokenRow, tokenInfo } from './tokens.rules.ts';

export interface DeviceFacts {
  /** Whether the token is the member's primary one. */
  isPrimary: (row: TokenRow) => boolean;
}

const deviceOf = (row: TokenRow, { isPrimary }: DeviceFacts): Device => ({
  ...tokenInfo(row),
  isRun: row.origin === 'run',
  isPrimary: isPrimary(row),
  address: row.lastAddress ?? null,
});

/** In the order of their ids, which never change, so that a page begins after one that is revoked by now. */
export function devicePage(
  rows: readonly TokenRow[],
  { limit, after = '' }: DeviceQuery,
  facts: DeviceFacts,
): Device[] {
  return rows
    .filter(({ id }) => id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map((row) => deviceOf(row, facts));
}
