/** The output of tools and commands for a list that has several pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from '../../bin/testing/command.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { openTestToolbox, type TestToolbox } from './testing/test-toolbox.ts';

/** More than a page. */
const count = 503;
const names = Array.from({ length: count - 1 }, (_, n) => `m${String(n).padStart(3, '0')}`);

let team: TestBroker;
let tools: TestToolbox;
let home: Home;
beforeAll(async () => {
  const members = Object.fromEntries(names.map((name) => [name, []]));
  team = await startTestBroker({
    members: { ...members, ada: ['admin'] },
    config: { files: { root: 'files' } },
  });
  tools = await openTestToolbox(team, 'ada');
  home = await createHome();
});
afterAll(async () => {
  await home.remove();
  await team.stop();
});

const { signal } = new AbortController();
const blocksOf = async (tool: string, input: object = {}): Promise<string[]> => {
  const { content } = await tools.toolbox.call(tool, input, signal);
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
};
const svc = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await home.run(args, {
    env: { SVC_URL: team.url, SVC_TOKEN: team.token('ada') },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
/** The first words of the lines below the header. */
const wordsOf = (text = ''): string[] =>
  text
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[1] ?? '');
const noteOf = (tool: string, last: string): string =>
  `There are more. Call ${tool} again with after "${last}" to see them.`;

/** Reads a list as an agent does: by the note, until there is none. */
async function readOn(tool: string, input: object = {}): Promise<string[]> {
  const [text, note] = await blocksOf(tool, input);
  if (note === undefined) return wordsOf(text);
  expect(wordsOf(text)).toHaveLength(500);
  const after = /^There are more\. Call (\w+) again with after (".*") to see them\.$/.exec(note);
  expect(after?.[1]).toBe(tool);
  return [...wordsOf(text), ...(await readOn(tool, { ...input, after: JSON.parse(after?.[2] ?? '""') }))];
}

it('the tool roster lists 500 members, and the others after the last one shown', async () => {
  const [, ...more] = await blocksOf('roster');
  expect(more).toEqual([noteOf('roster', 'm498')]);
  expect(await readOn('roster')).toEqual(['ada', ...names]);
});

it('the tool objectives_list lists 500 objectives, and the others after the last one shown', async () => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const body = { title: `T${n}`, outcome: 'O', assignee: n === 0 ? 'm000' : 'ada' };
    ids.unshift((await team.as('ada').call('createObjective', { body })).id);
  }
  for (const who of ['all', 'originated']) expect(await readOn('objectives_list', { who })).toEqual(ids);
  expect(await readOn('objectives_list')).toEqual(ids.slice(0, -1));
  expect(await tools.use('objectives_list', { after: ids.at(-1) })).toBe('no more objectives');
});

it('the tool channels_list lists 500 channels, joined ones first, and the others after the last one shown', async () => {
  const slugs = Array.from({ length: count }, (_, n) => `c${String(n).padStart(3, '0')}`);
  for (const slug of slugs) await team.as('ada').call('createChannel', { body: { slug } });
  await team.as('ada').call('leaveChannel', { params: { slug: 'c001', name: 'ada' } });
  const joined = ['general', ...slugs.filter((slug) => slug !== 'c001')];
  expect(await readOn('channels_list')).toEqual([...joined, 'c001'].map((slug) => `#${slug}`));
  expect(await tools.use('channels_list', { after: 'none' })).toBe(
    'error: channels_list: after: there is no channel #none',
  );
});

it('the tool fs_ls lists 500 entries, and the others after the last one shown', async () => {
  await tools.use('fs_mkdir', { path: '/ada/many' });
  const paths = names.slice(0, 501).map((name) => `/ada/many/${name}"`);
  for (const path of paths) await team.as('ada').call('makeDirectory', { body: { path, recursive: false } });
  expect(await readOn('fs_ls', { path: '/ada/many' })).toEqual(paths.map((path) => `${path}/`));
  await team.as('ada').call('removeFile', { query: { path: '/ada/many', recursive: 'true' } });
});

it('the tool fs_ls says nothing more about a list that is whole', async () => {
  await tools.use('fs_mkdir', { path: '/ada/docs' });
  const blocks = await blocksOf('fs_ls');
  expect(blocks).toEqual(['/ada:\n- /ada/docs/ (directory, owner ada)']);
});

describe('the command', () => {
  it.each([{ command: 'roster' }, { command: 'members list' }])(
    '$command prints every member once, by name',
    async ({ command }) => {
      const [head = '', ...rows] = (await svc(...command.split(' '))).trimEnd().split('\n');
      expect(head).toMatch(/^MEMBER/);
      expect(rows.map((row) => row.split(' ')[0])).toEqual(['ada', ...names]);
    },
  );

  it.each([
    { command: 'roster', all: ['ada', ...names] },
    { command: 'members list', all: ['ada', ...names] },
    { command: 'channels list', all: ['#general', '#c000'] },
  ])('$command --limit prints as many as it says', async ({ command, all }) => {
    for (const max of command === 'roster' ? [1, 501] : [2]) {
      const [, ...rows] = (await svc(...command.split(' '), '--limit', `${max}`)).trimEnd().split('\n');
      expect(rows.map((row) => row.split(' ')[0])).toEqual(all.slice(0, max));
    }
  });

  it('fs ls --limit prints as many as it says, and an empty directory as empty', async () => {
    await tools.use('fs_mkdir', { path: '/ada/two/a', recursive: true });
    await tools.use('fs_mkdir', { path: '/ada/two/b' });
    const { entries } = JSON.parse(await svc('fs', 'ls', '/ada/two', '--limit', '1', '--json'));
    expect(entries.map(({ name }: { name: string }) => name)).toEqual(['a']);
    expect(await svc('fs', 'ls', '/ada/two/a')).toBe('/ada/two/a is empty; "muster fs put" uploads a file\n');
    expect(await svc('fs', 'shared')).toBe('no files are shared with you\n');
  });

  it('roster --json prints one document with everybody and their presence', async () => {
    const { teammates, connected } = JSON.parse(await svc('roster', '--json'));
    for (const list of [teammates, connected])
      expect(list.map(({ name }: { name: string }) => name)).toEqual(['ada', ...names]);
  });
});
