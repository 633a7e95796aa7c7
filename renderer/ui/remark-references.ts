/** A plugin of remark that makes elements of mentions and channels, outside of links and code. */
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

function replaced({ type, value = '' }: Node): Node[] {
  return partsOfText(value).map((part): Node => {
    if (typeof part === 'string') return { type, value: part };
    const { kind, name } = part;
    const children = [{ type, value: `${kind === 'mention' ? '@' : '#'}${name}` }];
    return { type: 'reference', children, data: { hName: referenceElement, hProperties: { kind, name } } };
  });
}

function visit(node: Node): void {
  if (node.type === 'link' || node.type === 'linkReference' || node.children === undefined) return;
  for (const child of node.children) visit(child);
  node.children = node.children.flatMap((child) => (child.type === 'text' ? replaced(child) : [child]));
}

export const remarkReferences = () => visit;
