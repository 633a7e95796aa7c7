import { expect, it } from 'vitest';
import { notesOf } from './release-notes.rules.ts';

const changelog =
  '# Changelog\n\n## Unreleased\n\n- C.\n\n## 0.1.0 (2026-11-26)\n\n- A.\n- B.\n\n## 0.0.9\n\n- Z.\n';

it('takes the section of the version, with or without a date in its heading', () => {
  expect(notesOf(changelog, '0.1.0')).toBe('- A.\n- B.\n');
  expect(notesOf(changelog, '0.0.9')).toBe('- Z.\n');
});

it('takes no section of another version that begins alike', () => {
  expect(notesOf(changelog, '0.1')).toBeNull();
  expect(notesOf(changelog, '0.0.90')).toBeNull();
});
