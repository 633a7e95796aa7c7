import { beforeEach, expect, it } from 'vitest';
import type { AuditQuery } from '#protocol/audit.ts';
import { limits } from '#protocol/limits.ts';
import { openMainDatabase } from '../../testing/main-database.ts';
import { auditUnits } from './audit.sqlite.ts';

const { scanned } = limits.audit;
const count = 2 * scanned + 3;
const rare = [1, 2, scanned, scanned + 1, 2 * scanned, count];

let units: ReturnType<typeof auditUnits>;
beforeEach(() => {
  const { db } = openMainDatabase();
  units = auditUnits(db);
  db.transaction(() => {
    for (let seq = 1; seq <= count; seq++)
      units.writes.appendAudit({
        at: seq,
        kind: 'login',
        via: 'request',
        member: rare.includes(seq) ? 'ada' : 'ben',
        credential: null,
        address: null,
        subject: null,
        before: null,
        after: null,
      });
  })();
});

/** Reads page after page. Returns the positions of the records, and how many pages there were. */
function all(query: Partial<AuditQuery>, way: 'before' | 'after') {
  const found: number[] = [];
  let pages = 0;
  for (let from: number | null = way === 'after' ? 0 : count + 1; from !== null; pages++) {
    const page = units.reads.auditPage({ limit: 500, ...query, [way]: from });
    found.push(...page.records.map(({ seq }) => seq));
    from = page.next;
  }
  return { found, pages };
}

it('reads a bounded part of the log for each page, and every record once', () => {
  expect(all({ member: 'ada' }, 'after')).toEqual({ found: rare, pages: 3 });
  expect(all({ member: 'ada' }, 'before')).toEqual({ found: rare.toReversed(), pages: 3 });
  expect(all({ member: 'nobody' }, 'before')).toEqual({ found: [], pages: 3 });
});

it.each([1, 2, 3, 6])('reads every record once in pages of %i', (limit) => {
  expect(all({ member: 'ada', limit }, 'after').found).toEqual(rare);
  expect(all({ member: 'ada', limit }, 'before').found).toEqual(rare.toReversed());
});

it('ends where the filters of time end', () => {
  expect(all({ member: 'ada', since: 2, until: scanned + 1 }, 'before').found).toEqual([scanned, 2]);
});
