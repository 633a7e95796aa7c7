/** Every command of `muster` in the documents exists, with its action and its options. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { verbTable } from './verb-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs/guides'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs/guides', name)),
];

/** The lines of code blocks, and the code in texts, that begin with the command. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const inline = [...text.replaceAll(/^```[^\n]*\n[\s\S]*?^```/gm, '').matchAll(/`(muster [^`]+)`/g)];
  return [...blocks, ...inline.map(([, code = '']) => code)]
    .map((line) => line.trim().replace(/^(?:sudo |[A-Z_]+=\S+ )*/, ''))
    .filter((line) => /^muster [a-z]/.test(line));
}

/** Returns the fault of a command; undefined if it has none. */
async function faultOf(command: string): Promise<string | undefined> {
  const own = command.split(/ -- | '--' | \| | > | # |;/)[0] ?? '';
  const [, name = '', ...words] = own.replaceAll(/"[^"]*"|'[^']*'/g, 'text').split(/\s+/);
  const row = verbTable.find((one) => one.name === name);
  if (name === 'help') return undefined;
  if (row === undefined) return `there is no verb "${name}"`;
  const { verb } = await row.load();
  const unknown = words
    .filter((word) => word.startsWith('--') && word.length > 2)
    .map((word) => word.slice(2).replace(/[=[\]<…].*$/, ''))
    .find((option) => !Object.hasOwn(verb.options, option) && option !== 'help');
  if (unknown !== undefined) return `"${name}" has no option --${unknown}`;
  const actions =
    verb.notes[0] === 'Actions:' ? verb.notes.slice(1).map((note) => note.trim().split(' ')[0]) : null;
  const [action] = words;
  return actions === null || action === undefined || /^[<[-]|\|/.test(action) || actions.includes(action)
    ? undefined
    : `"${name}" has no action "${action}"`;
}

it.each(documents)('%s names only commands that exist', async (document) => {
  const faults = [];
  for (const command of commandsIn(readFileSync(join(root, document), 'utf8'))) {
    const fault = await faultOf(command);
    if (fault !== undefined) faults.push(`${command}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

it.each([
  ['muster pusg "x"', 'there is no verb "pusg"'],
  ['muster push "x" --tol ben', '"push" has no option --tol'],
  ['muster members rotat ada', '"members" has no action "rotat"'],
  ['muster push "--tol" --to ben', undefined],
])('finds what is wrong with %s', async (command, fault) => {
  expect(await faultOf(command)).toBe(fault);
});
