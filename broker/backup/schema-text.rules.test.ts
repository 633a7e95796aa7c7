import { describe, expect, it } from 'vitest';
import { schemaText } from './schema-text.rules.ts';

const written = "CREATE TABLE a (\n  b TEXT, -- it's a name\n  c TEXT DEFAULT '-- x'\n)";

describe('the text of a definition', () => {
  it('is the same with other comments and line breaks', () => {
    const other = "CREATE TABLE a ( b TEXT,\n\n  -- another\n  -- remark\n c TEXT DEFAULT '-- x' )";
    expect(schemaText(other)).toBe(schemaText(written));
  });

  it.each([
    ['in quotes', written.replace('-- x', '-- y')],
    ['after quotes that look like a comment', written.replace("'-- x'", "'-- x' CHECK (c <> 'z')")],
    ['in a name', written.replace(' b ', ' "b--" ')],
    ['in a block comment', written.replace('b TEXT,', 'b TEXT, /* x */')],
  ])('is another one with a difference %s', (_where, other) => {
    expect(schemaText(other)).not.toBe(schemaText(written));
  });
});
