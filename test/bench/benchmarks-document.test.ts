import { describe, expect, it } from 'vitest';
import { withSection } from './benchmarks-document.ts';

const text = '# Title\n\nIntroduction.\n\n## One\n\n### Part\n\nold\n\n## Two\n\nlast\n';

describe('withSection', () => {
  it('replaces one section and keeps the others', () => {
    expect(withSection(text, 'One', 'new\n')).toBe(text.replace('### Part\n\nold', 'new'));
  });

  it('replaces the last section', () => {
    expect(withSection(text, 'Two', 'new')).toBe(text.replace('last', 'new'));
  });

  it('appends a section that is not there', () => {
    expect(withSection(text, 'Three', 'new')).toBe(`${text}\n## Three\n\nnew\n`);
  });
});
