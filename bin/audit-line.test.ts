import { expect, it } from 'vitest';
import type { AuditRecord } from '#protocol/audit.ts';
import { auditCells } from './audit-line.ts';
import { localTime } from './message-line.ts';

const record: AuditRecord = {
  seq: 1,
  at: 0,
  kind: 'presets_changed',
  via: 'request',
  member: 'ada',
  credential: null,
  address: null,
  subject: null,
  before: null,
  after: { 'x: [] → [admin], y': ['a, b', 'members.manage'], plain: ['c'] },
  previous: '0'.repeat(64),
  hash: '0'.repeat(64),
};

it('quotes names and items that could be read as several of them', () => {
  expect(auditCells(record).at(-1)).toBe('"x: [] → [admin], y": ["a, b", members.manage], plain: [c]');
});

it('shows instants as local times, and other numbers as they are', () => {
  const createdAt = Date.UTC(2026, 10, 22, 12);
  const restored: AuditRecord = {
    ...record,
    before: { createdAt },
    after: { createdAt: null, count: createdAt },
  };
  expect(auditCells(restored).at(-1)).toBe(`createdAt: ${localTime(createdAt)} → null, count: ${createdAt}`);
});
