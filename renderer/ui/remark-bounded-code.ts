/**
 * A plugin of remark that shows a text with too many blocks of code as plain text. Indented blocks need no fence,
 * so only the tree has their number.
 */

/** The part of a Markdown tree that the plugin reads and makes. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

const maxBlocks = 100;

const blocksIn = ({ type, children = [] }: Node): number =>
  children.reduce((sum, child) => sum + blocksIn(child), type === 'code' ? 1 : 0);

export const remarkBoundedCode = () => (tree: Node, file: { toString(): string }) => {
  if (blocksIn(tree) <= maxBlocks) return;
  tree.children = [{ type: 'paragraph', children: [{ type: 'text', value: String(file) }] }];
};
