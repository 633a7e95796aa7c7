/** The rule for mentions, which has a reader of its own, compared with the parser that shows the text. */
import fc from 'fast-check';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { expect, it } from 'vitest';
import { mentionPattern, mentionsIn } from '#protocol/mentions.ts';

interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

const parser = unified().use(remarkParse).use(remarkGfm).freeze();

const treeOf = (markdown: string): Node => parser.runSync(parser.parse(markdown));

/** Returns the mentions in the texts of the tree that the console renders. */
function mentionsInTree(node: Node): string[] {
  if (['link', 'linkReference'].includes(node.type)) return [];
  if (node.type === 'text')
    return Array.from((node.value ?? '').matchAll(mentionPattern), ([, name = '']) => name.toLowerCase());
  return (node.children ?? []).flatMap(mentionsInTree);
}

it('a mention is in prose exactly if the parser of the console says so', () => {
  const pieces = [
    '@a',
    '@b ',
    'x',
    ' ',
    ' ',
    '\n',
    '\n',
    '\n\n',
    '`',
    '``',
    '```',
    '~~~',
    '\n```\n',
    '\n~~~\n',
    '    ',
    '  ',
    '> ',
    '- ',
    '1. ',
    '* ',
    '# ',
    '[',
    ']',
    '](/u)',
    '](',
    ')',
    '![',
    '\\`',
    '\\[',
    '*',
    '**',
    '\t',
    '---',
    '===',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((found) => found.join(''));
  fc.assert(
    fc.property(text, (markdown) => {
      const expected = new Set(mentionsInTree(treeOf(markdown)));
      expect([...mentionsIn(markdown).keys()].sort(), JSON.stringify(markdown)).toEqual([...expected].sort());
    }),
    { numRuns: 2_000 },
  );
});
