/** A plugin of remark that makes elements of mentions and channels, outside of links and code. */
import { type Mentions, mentionsIn } from '#protocol/mentions.ts';
import { partsOfText } from './references.rules.ts';

/** The part of a Markdown tree that the plugin reads and makes. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { hName: string; hProperties: Record<string, string> };
}

/** The element that `Markdown` renders; raw HTML cannot make one, because it is never parsed. */
export const referenceElement = 'muster-reference';

/** HTML is shown as text. */
const isText = ({ type }: Node): boolean => type === 'text' || type === 'html';

function replaced({ value = '' }: Node, mentions: Mentions): Node[] {
  const type = 'text';
  return partsOfText(value, mentions).map((part): Node => {
    if (typeof part === 'string') return { type, value: part };
    const { kind, name } = part;
    const children = [{ type, value: `${kind === 'mention' ? '@' : '#'}${name}` }];
    return { type: 'reference', children, data: { hName: referenceElement, hProperties: { kind, name } } };
  });
}

function visit(node: Node, mentions: Mentions): void {
  if (node.type === 'link' || node.type === 'linkReference' || node.children === undefined) return;
  for (const child of node.children) visit(child, mentions);
  node.children = node.children.flatMap((child) => (isText(child) ? replaced(child, mentions) : [child]));
}

export const remarkReferences = () => (tree: Node, file: { toString(): string }) =>
  visit(tree, mentionsIn(String(file)));
