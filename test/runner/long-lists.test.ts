/** What tools and commands show of a list that has several pages. */
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
const note = (command: string): string =>
  `only the first 500 are listed; the command "${command}" lists all of them`;

it('the tool roster lists 500 members, and says how to see the others', async () => {
  const [text, ...more] = await blocksOf('roster');
  expect(text?.split('\n')).toHaveLength(1 + 500);
  expect(more).toEqual([note('svc roster')]);
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

  it('roster --json prints one document with everybody and their presence', async () => {
    const { teammates, connected } = JSON.parse(await svc('roster', '--json'));
    for (const list of [teammates, connected])
      expect(list.map(({ name }: { name: string }) => name)).toEqual(['ada', ...names]);
  });
});
