import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from '../testing/command.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let url: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
  ({ url } = await home.serve());
});
afterAll(() => home.remove());

type Name = keyof typeof tokens;
const run = (name: Name, args: string[], input?: string) =>
  home.run(['objectives', ...args], {
    env: { SVC_URL: url, SVC_TOKEN: tokens[name] },
    ...(input !== undefined && { input }),
  });
const as = (name: Name, ...args: string[]) => run(name, args);
/** ben may create objectives in this team. */
const create = async (title: string, ...args: string[]): Promise<string> => {
  const made = await as(
    'ben',
    'create',
    title,
    '--outcome',
    'It is done',
    '--assignee',
    'cy',
    ...args,
    '--json',
  );
  expect(made).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(made.stdout).id;
};

describe('muster objectives', () => {
  it('takes an objective from its creation to its completion', async () => {
    const made = await as(
      'ben',
      'create',
      'Paint the door',
      '--outcome',
      'It is green',
      '--assignee',
      'cy',
      '--watchers',
      'ada, ben',
      '--details',
      'both sides',
    );
    const [, id = ''] = /^created (obj_\w{10}) assigned to cy: Paint the door\n$/.exec(made.stdout) ?? [];
    expect(id).not.toBe('');
    expect(await as('cy', 'update', id, '--status', 'blocked', '--reason', 'no paint')).toMatchObject({
      code: 0,
      stdout: `updated ${id}: status=blocked\n`,
    });
    expect((await as('ada', 'update', id, '--status', 'active')).stdout).toBe(
      `updated ${id}: status=active\n`,
    );
    expect((await as('cy', 'discuss', id, 'paint', 'has', 'come')).stdout).toMatch(
      new RegExp(`^posted to objective ${id} thread: msg=[0-9a-f-]{36}\n$`),
    );
    expect((await as('cy', 'complete', id, 'it', 'is', 'green')).stdout).toContain(
      `completed ${id}; the broker notifies ben`,
    );
    const shown = (await as('ada', 'view', id)).stdout;
    expect(shown).toContain(`${id} Paint the door\n  Status:   done\n  Outcome:  It is green\n`);
    expect(shown).toContain('Watchers: ada, ben');
    expect(shown).toContain('Result:   it is green');
    expect(shown).toMatch(/ cy blocked it: no paint\n.* ada unblocked it\n.* cy completed it: it is green\n/);
  });

  it('lists objectives, newest first, with filters', async () => {
    const ids = [await create('one'), await create('two')];
    const listed = JSON.parse((await as('ada', 'list', '--assignee', 'cy', '--limit', '2', '--json')).stdout);
    expect(listed.objectives.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    const table = (await as('ada', 'list', '--limit', '1')).stdout;
    expect(table).toMatch(
      /^OBJECTIVE +STATUS +ASSIGNEE +FROM +CREATED +TITLE\nobj_\w{10} +active +cy +ben .* two\n$/,
    );
    expect((await as('ada', 'list', '--status', 'cancelled')).stdout).toContain('no objectives match');
    expect((await as('ada', 'list', '--originator', 'ada')).stdout).toContain('no objectives match');
    const own = JSON.parse(
      (await as('ada', 'list', '--originator', 'ben', '--limit', '600', '--json')).stdout,
    );
    expect(own.objectives.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(ids));
  });

  it('cancels, reassigns, and changes watchers', async () => {
    const id = await create('three');
    expect((await as('ben', 'watchers', id, '--add', 'ada')).stdout).toBe(`updated ${id} watchers: ada\n`);
    expect((await as('ben', 'watchers', id, '--remove', 'ada')).stdout).toBe(
      `updated ${id} watchers: none\n`,
    );
    expect((await as('ada', 'reassign', id, 'ben', '--note', 'yours')).stdout).toBe(
      `reassigned ${id} to ben: three\n`,
    );
    expect((await as('ben', 'cancel', id, '--reason', 'no use')).stdout).toBe(`canceled ${id}: three\n`);
    expect((await as('ada', 'view', id)).stdout).toMatch(/ben canceled it: no use\n$/);
  });

  it('posts text from standard input, and only once with the same key', async () => {
    const id = await create('four');
    const post = () =>
      run('cy', ['discuss', id, '--stdin', '--idempotency-key', 'k1', '--json'], 'two\nlines\n');
    const first = JSON.parse((await post()).stdout);
    expect(first).toMatchObject({ from: 'cy', body: 'two\nlines', data: { thread: `obj:${id}` } });
    expect(JSON.parse((await post()).stdout).id).toBe(first.id);
  });

  it('escapes control characters in what others wrote', async () => {
    const client = clientOf(url, 'ben');
    const { id } = await client.call('createObjective', {
      body: { title: 'a\u001b[2Jb', outcome: 'x\ny', assignee: 'cy' },
    });
    const shown = (await as('ada', 'view', id)).stdout;
    expect(shown).not.toContain('\u001b');
    expect(shown).toContain('a\\x1b[2Jb');
    expect(shown).toContain('Outcome:  x\n    y\n');
  });

  it('prints a refusal of the broker in one line', async () => {
    const id = await create('five');
    expect(await as('ben', 'complete', id, 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^muster: .*assignee.*\n$/),
    });
    expect(await as('cy', 'create', 'x', '--outcome', 'y', '--assignee', 'cy')).toMatchObject({ code: 1 });
  });

  const id = 'obj_0123456789';
  it.each([
    [[], 'name an action'],
    [['creat', 'x'], 'Did you mean "create"'],
    [['create', 'x', '--outcome', 'y'], '--assignee'],
    [['create', 'x', '--assignee', 'cy'], '--outcome'],
    [['create', ' ', '--assignee', 'cy', '--outcome', 'y'], 'must be 1 to 200 characters'],
    [['create', 'x', '--assignee', 'c/y', '--outcome', 'y'], '--assignee: must be letters'],
    [['view'], 'muster objectives view <objective>'],
    [['view', 'nonsense'], 'is not an objective id'],
    [['update', id], 'Pass --status, --reason, or both'],
    [['update', id, '--status', 'blocked'], '--reason'],
    [['update', id, '--status', 'done'], '--status'],
    [['complete', id], 'Write it after the id'],
    [['discuss', id], 'Write it after'],
    [['watchers', id], 'Pass --add, --remove, or both'],
    [['list', '--limit', '0'], '--limit must be a number from 1 on'],
    [['list', '--status', 'open'], '--status must be one of'],
    [['list', '--reason', 'x'], 'does not accept --reason'],
  ])('%j is a usage error that says what to do', async (args, sentence) => {
    expect(await as('ada', ...args)).toMatchObject({ code: 64, stderr: expect.stringContaining(sentence) });
  });

  it('explains its actions with --help', async () => {
    const help = await as('ada', '--help');
    expect(help).toMatchObject({ code: 0 });
    for (const action of [
      'list',
      'view',
      'create',
      'update',
      'discuss',
      'complete',
      'cancel',
      'reassign',
      'watchers',
    ])
      expect(help.stdout).toContain(action);
  });
});
