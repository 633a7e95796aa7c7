/** Parses Markdown into the tree of elements that the console renders. */
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { remarkBoundedCode } from './remark-bounded-code.ts';
import { remarkReferences } from './remark-references.ts';

/** Built once, because setting it up for each text costs a fifth of the parsing. Raw HTML becomes text. */
const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkBoundedCode)
  .use(remarkReferences)
  .use(remarkRehype, { handlers: { html: (_, { value }) => ({ type: 'text', value }) } })
  .freeze();

export const markdownTree = (text: string) => processor.runSync(processor.parse(text), text);
