import { expect, it } from 'vitest';
import { auditValueText } from './audit-value.rules.ts';

const timeText = (at: number): string => `time ${at}`;

it.each<[string, Parameters<typeof auditValueText>[1], string]>([
  ['oldestAt', 1_795_375_055_810, 'time 1795375055810'],
  ['count', 12, '12'],
  ['createdAt', 1e300, '1e+300'],
  ['enabled', false, 'false'],
  ['permissions', ['admin', 'x'], 'admin, x'],
  ['permissions', [], 'none'],
  ['label', '', 'none'],
  ['label', null, 'none'],
  ['label', undefined, 'none'],
])('shows the field %s with %j as %j', (name, value, expected) => {
  expect(auditValueText(name, value, timeText)).toBe(expected);
});
