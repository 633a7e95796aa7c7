import { expect, it } from 'vitest';
import { obstacleOf } from './repair-obstacle.ts';

const failed = (more: object) => Object.assign(new Error('failed'), more);

it.for([
  [{ code: 'ENOSPC' }, 'there is not enough space in "/stores" (ENOSPC)'],
  [{ cause: failed({ code: 'SQLITE_FULL' }) }, 'there is not enough space in "/stores" (SQLITE_FULL)'],
  [{ code: 'EROFS' }, 'files in "/stores" cannot be written (EROFS)'],
  [{ code: 'SQLITE_IOERR_SHMSIZE' }, 'there is not enough space in "/stores"'],
] as const)('says what a repair lacks: %o', ([more, expected]) => {
  expect(obstacleOf(failed(more), '/stores/main.db')).toContain(expected);
});

it('takes damage for no obstacle', () => {
  expect(obstacleOf(failed({ code: 'SQLITE_CORRUPT' }), '/stores/main.db')).toBeNull();
});
