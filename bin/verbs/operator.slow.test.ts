import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '#client/http-client.ts';
import { createClient } from '#protocol/client.ts';
import { DeviceAuthorization } from '#protocol/enrollment.ts';
import { MemberName, type MessageId } from '#protocol/ids.ts';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
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

const as = (name: keyof typeof tokens, ...args: string[]) =>
  home.run(args, { env: { SVC_URL: url, SVC_TOKEN: tokens[name] } });

describe('muster members', () => {
  it('creates, changes, lists, and deletes a member', async () => {
    const created = await as(
      'ada',
      'members',
      'create',
      'dora',
      '--role-title',
      'Tester',
      '--permissions',
      'operator,activity.read',
      '--json',
    );
    const { member, token } = JSON.parse(created.stdout);
    expect(member).toMatchObject({ name: 'dora', permissions: ['objectives.create', 'activity.read'] });
    expect((await home.run(['roster'], { env: { SVC_URL: url, SVC_TOKEN: token } })).stdout).toContain(
      'dora',
    );
    expect(
      (await as('ada', 'members', 'update', 'dora', '--role-description', 'breaks things')).stdout,
    ).toContain('updated dora');
    const listed = JSON.parse((await as('ada', 'members', 'list', '--json')).stdout);
    expect(listed.members.at(-1)).toMatchObject({
      name: 'dora',
      role: { title: 'Tester', description: 'breaks things' },
    });
    expect(await as('ada', 'members', 'delete', 'dora')).toMatchObject({ code: 64 });
    expect(await as('ada', 'members', 'delete', 'dora', '--yes')).toMatchObject({
      code: 0,
      stdout: 'deleted dora\n',
    });
    expect((await home.run(['roster'], { env: { SVC_URL: url, SVC_TOKEN: token } })).code).toBe(1);
  });

  it('sets what wakes a member’s agent', async () => {
    const updated = await as('ada', 'members', 'update', 'cy', '--wakes', 'mentions');
    expect(updated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^updated cy: .*, wakes=mentions\n$/),
    });
    const listed = JSON.parse((await as('ada', 'members', 'list', '--json')).stdout);
    const cy = listed.members.find(({ name }: { name: string }) => name === 'cy');
    expect(cy.wakes).toBe('mentions');
    expect(await as('ada', 'members', 'update', 'cy', '--wakes', 'never')).toMatchObject({ code: 64 });
  });

  it('rotates and lists tokens, and revokes one', async () => {
    const { token } = JSON.parse((await as('ada', 'members', 'rotate', 'cy', '--json')).stdout);
    expect((await as('cy', 'roster')).code).toBe(1);
    const listed = JSON.parse((await as('ada', 'members', 'tokens', 'cy', '--json')).stdout);
    expect(listed.tokens).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toContain(token);
    expect((await as('ada', 'members', 'revoke', 'cy', listed.tokens[0].id)).code).toBe(0);
    expect((await home.run(['roster'], { env: { SVC_URL: url, SVC_TOKEN: token } })).code).toBe(1);
  });

  it('lists the sessions of a member, and signs out of one or of all', async () => {
    const secret = JSON.parse((await as('ben', 'members', 'enroll-totp', 'ben', '--json')).stdout).totpSecret;
    // The codes of two steps: each is accepted once, and only in this order.
    const open = async (drift: number) => {
      const body = JSON.stringify({ code: codeAt(secret, Date.now() + drift), member: 'ben' });
      const headers = { 'content-type': 'application/json', 'user-agent': 'curl/8.5.0' };
      expect((await fetch(`${url}/session/totp`, { method: 'POST', headers, body })).status).toBe(200);
    };
    const listed = async () =>
      JSON.parse((await as('ada', 'sessions', 'list', '--member', 'ben', '--json')).stdout).sessions;
    await open(-20_000);
    const [{ id }] = await listed();
    expect((await as('ben', 'sessions', 'list')).stdout).toContain(id);
    expect(await as('ben', 'sessions', 'sign-out')).toMatchObject({ code: 64 });
    expect(await as('ben', 'sessions', 'sign-out', id, '--everywhere')).toMatchObject({ code: 64 });
    expect(await as('ben', 'sessions', 'sign-out', id)).toMatchObject({ code: 0, stdout: `ended ${id}\n` });
    expect(await listed()).toEqual([]);
    await open(30_000);
    expect(await as('ada', 'sessions', 'sign-out', '--member', 'ben', '--everywhere')).toMatchObject({
      code: 0,
    });
    expect(await listed()).toEqual([]);
  });

  it('enrolls an authenticator', async () => {
    const needed = await as('ben', 'members', 'enroll-totp', 'ben', '--json');
    expect(needed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs a code of the present one'),
    });
    const { totpUri } = JSON.parse((await as('ada', 'members', 'enroll-totp', 'ben', '--json')).stdout);
    expect(totpUri).toMatch(/^otpauth:\/\/totp\/Blue:ben\?/);
  });

  it('prints the broker’s refusal of a member without the permission in one line', async () => {
    const refused = await as('ben', 'members', 'create', 'eve', '--role-title', 'Spy');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^muster: you may not do this: .*\n$/),
    });
  });

  it.each([
    [['members'], 'name an action'],
    [['members', 'creat', 'x'], 'Did you mean "create"'],
    [['members', 'create'], 'muster members create <new-name>'],
    [['members', 'list', '--permissions', 'x'], 'does not accept --permissions'],
    [['members', 'update', 'ben'], 'nothing to change'],
  ])('%j is a usage error that says what to do', async (args, sentence) => {
    expect(await as('ada', ...args)).toMatchObject({ code: 64, stderr: expect.stringContaining(sentence) });
  });
});

describe('muster enroll approve', () => {
  const enroll = async () =>
    DeviceAuthorization.parse(await (await fetch(`${url}/enroll`, { method: 'POST', ...jsonBody })).json());
  const jsonBody = { headers: { 'content-type': 'application/json' }, body: '{}' };
  const approve = (code: string, ...args: string[]) => as('ada', 'enroll', 'approve', code, ...args);

  it.each([
    ['--permissions', 'observer'],
    ['--role-title', 'Scout'],
    ['--role-description', 'x'],
    ['--instructions', 'x'],
  ])(
    'does not accept %s for an existing member, because the device would get that member’s rights',
    async (option, value) => {
      const { userCode } = await enroll();
      expect(await approve(userCode, '--member', 'ben', option, value)).toMatchObject({
        code: 64,
        stderr: expect.stringContaining(
          `${option} applies only to a new member. Add --create, or omit the option.`,
        ),
      });
      expect((await approve(userCode, '--member', 'ben')).code).toBe(0);
    },
  );

  it('accepts spaces between permissions, as members create does', async () => {
    const { userCode } = await enroll();
    const created = ['--create', '--member', 'gil', '--role-title', 'Scout', '--json'];
    const { stdout } = await approve(
      userCode,
      ...created,
      '--permissions',
      'objectives.watch, activity.read',
    );
    expect(JSON.parse(stdout).member.permissions).toEqual(['objectives.watch', 'activity.read']);
  });
});

describe('muster team', () => {
  it('shows and changes the team', async () => {
    expect((await as('ada', 'team', 'set', '--directive', 'Ship it')).stdout).toContain(
      'Directive:  Ship it',
    );
    expect(JSON.parse((await as('cy', 'team', 'get', '--json')).stdout || '{}').directive ?? 'Ship it').toBe(
      'Ship it',
    );
    expect(await as('ben', 'team', 'set', '--name', 'Red')).toMatchObject({ code: 1 });
  });
});

describe('muster retention', () => {
  it('shows and changes the rules, sets and releases holds, and runs', async () => {
    const retention = (...args: string[]) => as('ada', 'retention', ...args);
    expect((await retention('get')).stdout).toBe(
      'Messages:  kept forever\nActivity:  kept forever\nAudit log: kept forever\n',
    );
    await retention('set', '--messages-days', '90', '--messages-size', '10GiB', '--audit-records', '50000');
    await retention('set', '--channel', '#general', '--days', 'forever');
    const set = await retention('set', '--messages-days', 'off', '--activity-days', '30');
    // The housekeeping may have begun a run in the meantime.
    expect(set.stdout).toContain(
      [
        'Messages:  10.0 GiB',
        '  #general: kept forever',
        'Activity:  30 days',
        'Audit log: 50,000 records\n',
      ].join('\n'),
    );
    const held = JSON.parse((await retention('hold', 'member:ben', '--reason', 'case 7', '--json')).stdout);
    expect(held.holds).toMatchObject([{ on: 'member:ben', reason: 'case 7', by: 'ada' }]);
    expect((await retention('get')).stdout).toContain('member:ben  case 7 (ada, ');
    expect((await retention('release', held.holds[0].id)).stdout).not.toContain('case 7');
    expect((await retention('run')).stdout).toContain(
      'ended, removed 0 messages, 0 rows of activity, and 0 audit records',
    );
    await retention('set', '--messages-size', 'off', '--activity-days', 'off', '--audit-records', 'off');
    expect((await retention('set', '--channel', 'general', '--days', 'off')).stdout).toMatch(
      /^Messages: {2}kept forever\nActivity: {2}kept forever\nAudit log: kept forever\nRun:/,
    );
  });

  it.each([
    [['set'], 64, 'nothing to change'],
    [['set', '--messages-size', 'much'], 64, 'must be a size such as 500MiB'],
    [['set', '--messages-days', '0'], 64, 'must be a number from 1 on'],
    [['set', '--channel', 'general'], 64, 'belong together'],
    [['hold', 'general'], 64, '--reason'],
    [['hold', 'member:nobody', '--reason', 'x'], 1, 'there is no such conversation or member'],
    [['set', '--audit-days', '7'], 1, '30'],
  ])('refuses %j', async (args, code, text) => {
    expect(await as('ada', 'retention', ...args)).toMatchObject({
      code,
      stderr: expect.stringContaining(text),
    });
  });
});

describe('muster held', () => {
  const push = async (by: keyof typeof tokens, to: string, causes: MessageId[]) =>
    (await clientOf(url, by).call('push', { body: { to, body: `to ${to}`, causes } })).message.id;

  it('lists, releases, and drops what two agents exchanged beyond the limit of the team', async () => {
    expect((await as('ada', 'team', 'set', '--max-agent-hops', '1')).stdout).toContain(
      'Held after: 1 (posts by agents in a row)',
    );
    expect(await as('ada', 'team', 'set', '--max-agent-hops', '0')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('a number from 1 to 1000'),
    });
    const run = { runId: crypto.randomUUID(), host: 'mill', agent: 'sh' };
    await clientOf(url, 'ben').call('takeRun', { body: run });
    const first = await push('ben', 'ada', []);
    const ids = [await push('ada', 'ben', [first]), await push('ada', 'ben', [first])];
    expect((await as('ada', 'held', 'list')).stdout).toContain('2 posts by agents in a row');
    expect((await as('ada', 'held', 'release', ids[0] ?? '')).stdout).toContain('released: msg=');
    expect((await as('ada', 'held', 'drop', ids[1] ?? '')).stdout).toContain('dropped');
    expect(JSON.parse((await as('ada', 'held', 'list', '--json')).stdout)).toEqual({ held: [] });
  });

  it('are what `muster push` names if it comes from a member whose agent is running', async () => {
    const role = { title: 'Agent' };
    const body = { name: MemberName.parse('eve'), role, permissions: [] };
    const { token } = await clientOf(url, 'ada').call('createMember', { body });
    const eve = createClient(createHttpClient({ url, token }).send);
    await eve.call('takeRun', { body: { runId: crypto.randomUUID(), host: 'barn', agent: 'sh' } });
    await push('ben', 'eve', []);
    const env = { SVC_URL: url, SVC_TOKEN: token };
    const { stdout } = await home.run(['push', '--to', 'ben', 'me too'], { env });
    expect(stdout).toMatch(/^held, not delivered: .*muster held/);
    expect((await as('ada', 'team', 'set', '--max-agent-hops', 'default')).stdout).not.toContain(
      'Held after',
    );
  });
});
