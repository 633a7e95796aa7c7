/**
 * The rules about text that neither the compiler nor the linter knows. It prints each violation with file and line, and exits with 1.
 *
 * - A citation, `specification/<file>#<section>` in code or a relative link in a document, must resolve to a file and a heading.
 * - The text form of a conversation scope stands in one place; everything else uses `broker/protocol/scope.ts`.
 * - Every test file belongs to one project of `test/tiers.ts`, and `npm test` runs those that the guide on security names as proofs of the promises.
 * - No text sends a person to a package of the command's name by someone else.
 * - No sentence of a comment or a document begins with a clause that stands for a noun (docs/style.md#voice).
 * - Every reason of a refusal (`broker/protocol/refusals.ts`) is used by the broker.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { refusals } from '#protocol/refusals.ts';
import { projectsOfTest } from '../test/tiers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => /\.(ts|tsx|js|mjs|md|css)$/.test(file) && existsSync(join(root, file)));

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const violations: string[] = [];

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const anchorsByFile = new Map<string, Set<string>>();
function anchorsOf(file: string): Set<string> {
  let anchors = anchorsByFile.get(file);
  if (anchors === undefined) {
    const headings = read(file).matchAll(/^#{1,6} (.+)$/gm);
    anchors = new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
    anchorsByFile.set(file, anchors);
  }
  return anchors;
}

/** The reason why a target does not resolve; undefined if it does. */
function faultOf(file: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(root, file))) return `there is no ${file}`;
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  return anchorsOf(file).has(anchor) ? undefined : `${file} has no section #${anchor}`;
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function checkCitations(file: string, text: string): void {
  for (const match of text.matchAll(/\bspecification\/([a-z-]+\.md)(?:#([\w-]+))?/g)) {
    const [cited, name = '', anchor] = match;
    const fault = faultOf(join('docs/specification', name), anchor);
    if (fault !== undefined) violations.push(`${file}:${lineOf(text, match.index)}: ${cited}: ${fault}`);
  }
  for (const match of text.matchAll(/\b(?:specification|design|architecture) "[^"]+"|\(D\d+[^)]*\)/g))
    if (!file.endsWith('.md'))
      violations.push(
        `${file}:${lineOf(text, match.index)}: ${match[0]}: cite a section as specification/<file>.md#<section>`,
      );
}

function checkLinks(file: string, text: string): void {
  for (const match of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)) {
    const [link, target = '', anchor] = match;
    const fault = faultOf(target === '' ? file : normalize(join(dirname(file), target)), anchor);
    if (fault !== undefined)
      violations.push(`${file}:${lineOf(text, match.index)}: ${link.slice(1)}: ${fault}`);
  }
}

const promises = 'docs/guides/security.md';

function checkTests(): void {
  for (const file of files.filter((one) => one.endsWith('.test.ts'))) {
    const { length } = projectsOfTest(file);
    if (length !== 1) violations.push(`${file}: it belongs to ${length} projects of test/tiers.ts`);
  }
  for (const [, file = ''] of read(promises).matchAll(/\]\(\.\.\/\.\.\/([^)]+\.test\.ts)\)/g))
    if (!projectsOfTest(file).some(({ tier }) => tier === 'fast'))
      violations.push(`${promises}: ${file} proves a promise, but "npm test" does not run it`);
}

const ownersOfScopeText = [
  'broker/protocol/scope.ts',
  'broker/protocol/scope-name.ts',
  'broker/features/scopes/scope-key.ts',
  // A migration stays as it was released, whatever the code says later.
  'broker/storage/main.migrations.ts',
  'broker/storage/first-main.migrations.ts',
];

const comment = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/g;

/** Comments may name the text forms; code may not. */
const withoutComments = (text: string): string =>
  text.replaceAll(comment, (found) => found.replaceAll(/[^\n]/g, ' '));

function checkScopeText(file: string, text: string): void {
  const isProduct =
    /^(broker|runner|bin|electron|renderer)\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\//.test(file);
  if (!isProduct || ownersOfScopeText.includes(file)) return;
  const code = withoutComments(text);
  for (const match of code.matchAll(/['"`](?:chan|obj|dm|to):/g))
    violations.push(
      `${file}:${lineOf(code, match.index)}: ${match[0]} is the text form of a scope: use broker/protocol/scope.ts`,
    );
}

/** These names belong to others in the public registry. A scope, a path, or a version before the name is fine. */
function checkForeignPackages(file: string, text: string): void {
  for (const match of text.matchAll(/\b(?:npx|npm exec|npm (?:i|install)) (?:-\S+ )*(?:svc|muster)\b(?!-)/g))
    violations.push(`${file}:${lineOf(text, match.index)}: ${match[0]} is a package by someone else`);
}

const paragraph = /(?:^(?!#|\||```).+\n?)+/gm;
/** Such a clause at the beginning of a sentence, which is no question. */
const nounClause = /(?<=^|[.:]\s|\*\*\s)(?:What|Who|Whoever|Whatever)\s[a-z][^.?]*(?:\.|$)/;

/** The language of comments and documents (docs/style.md#voice). Generated files repeat texts of the code. */
function checkSentences(file: string, text: string): void {
  if (file === 'docs/style.md' || !/\.(tsx?|md)$/.test(file)) return;
  for (const match of text.matchAll(file.endsWith('.md') ? paragraph : comment)) {
    const words = match[0].replaceAll(/^\s*(?:\/\*\*?|\*\/?|\/\/|-|\d+\.)\s*|\s*\*\/$/gm, '');
    const clause = nounClause.exec(words);
    if (clause !== null)
      violations.push(
        `${file}:${lineOf(text, match.index)}: “${clause[0]}”: name the thing (docs/style.md#voice)`,
      );
  }
}

const catalog = 'broker/protocol/refusals.ts';

/** A reason is always written out, because `refuse` accepts only those of the catalog. */
function checkReasons(): void {
  const isBroker = (file: string): boolean =>
    /^broker\/.*\.ts$/.test(file) &&
    !/\.test\.ts$|\/testing\//.test(file) &&
    !file.startsWith('broker/protocol/refusals');
  const code = files
    .filter(isBroker)
    .map((file) => withoutComments(read(file)))
    .join('\n');
  for (const reason of Object.keys(refusals))
    if (!code.includes(`'${reason}'`)) violations.push(`${catalog}: nothing is refused for ${reason}`);
}

for (const file of files) {
  const text = read(file);
  if (file !== 'docs/check.ts') checkCitations(file, text);
  if (file.endsWith('.md')) checkLinks(file, text);
  checkScopeText(file, text);
  checkForeignPackages(file, text);
  checkSentences(file, text);
}

checkTests();
checkReasons();
for (const violation of violations) console.error(violation);
console.log(
  violations.length === 0
    ? 'citations, links, scopes, sentences, and reasons are in order'
    : `${violations.length} violations`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
