/** Every command of `muster` in the documents and in the help exists, with its action and its options. */
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
  const [action = ''] = words;
  const isNamed = verb.actions !== undefined && !/^$|^[<[-]|\|/.test(action);
  if (isNamed && !Object.hasOwn(verb.actions ?? {}, action)) return `"${name}" has no action "${action}"`;
  const { options } = (isNamed ? verb.actions?.[action] : undefined) ?? verb;
  const unknown = words
    .filter((word) => word.startsWith('--') && word.length > 2)
    .map((word) => word.slice(2).replace(/[=[\]<…].*$/, ''))
    .find((option) => !Object.hasOwn(options, option) && option !== 'help');
  return unknown === undefined
    ? undefined
    : `"${isNamed ? `${name} ${action}` : name}" has no option --${unknown}`;
}

it.each(documents)('%s names only commands that exist', async (document) => {
  const faults = [];
  for (const command of commandsIn(readFileSync(join(root, document), 'utf8'))) {
    const fault = await faultOf(command);
    if (fault !== undefined) faults.push(`${command}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

it('each example in the help is a command that exists', async () => {
  const faults = [];
  for (const row of verbTable) {
    const { actions = {} } = (await row.load()).verb;
    for (const { notes } of Object.values(actions))
      for (const example of notes.filter((note) => note.startsWith('  muster '))) {
        const fault = await faultOf(example.trim());
        if (fault !== undefined) faults.push(`${example}: ${fault}`);
      }
  }
  expect(faults).toEqual([]);
});

it.each([
  ['muster pusg "x"', 'there is no verb "pusg"'],
  ['muster push "x" --tol ben', '"push" has no option --tol'],
  ['muster members rotat ada', '"members" has no action "rotat"'],
  ['muster members list --wakes all', '"members list" has no option --wakes'],
  ['muster push "--tol" --to ben', undefined],
])('finds what is wrong with %s', async (command, fault) => {
  expect(await faultOf(command)).toBe(fault);
});
