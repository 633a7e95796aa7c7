/** The list of the team's tools, their inputs, and the hint in their results; toolbox-messages.test.ts and toolbox-objectives-files.test.ts have the tools themselves. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { tools } from '../../runner/toolbox/toolbox.ts';
import { openTeamToolboxes, openTestToolbox, type TestToolbox } from './testing/test-toolbox.ts';

let team: TestBroker;
let ben: TestToolbox;
let cy: TestToolbox;
let ada: TestToolbox;
beforeAll(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
  [ada, ben, cy] = await openTeamToolboxes(team);
});
afterAll(() => team.stop());

const { signal } = new AbortController();

/** The specification's table, written by hand. */
const everyone = [
  'roster',
  'broadcast',
  'send',
  'channels_list',
  'channels_post',
  'recent',
  'objectives_list',
  'objectives_view',
  'objectives_update',
  'objectives_discuss',
  'objectives_complete',
  'fs_ls',
  'fs_stat',
  'fs_read',
  'fs_write',
  'fs_mkdir',
  'fs_rm',
  'fs_mv',
  'fs_shared',
];
const gated = ['objectives_create', 'objectives_cancel', 'objectives_watchers', 'objectives_reassign'];

/** The specification's column of inputs. */
const post = 'body title level attachments';
const specifiedArguments = {
  roster: '',
  broadcast: post,
  send: `to ${post}`,
  channels_list: '',
  channels_post: `channel ${post}`,
  recent: 'with channel limit',
  objectives_list: 'status',
  objectives_view: 'id',
  objectives_update: 'id status blockReason',
  objectives_discuss: 'id body title attachments',
  objectives_complete: 'id result',
  objectives_create: 'title outcome assignee body watchers attachments',
  objectives_cancel: 'id reason',
  objectives_watchers: 'id add remove',
  objectives_reassign: 'id to note',
  fs_ls: 'path',
  fs_stat: 'path',
  fs_read: 'path',
  fs_write: 'path mimeType text base64 collide',
  fs_mkdir: 'path recursive',
  fs_rm: 'path recursive',
  fs_mv: 'from to',
  fs_shared: '',
};

const beside = ['wait_for_messages', 'search', 'unread'];

/** A low estimate of how many bytes of JSON a token has. */
const bytesPerToken = 3.5;

describe('the toolbox', () => {
  it('offers the permission-gated tools only to those who may use them', () => {
    expect(ben.names()).toEqual([...everyone, ...beside]);
    expect(cy.names()).toEqual(
      tools.map(({ name }) => name).filter((name) => name !== 'objectives_reassign'),
    );
    expect(ada.names()).toEqual(tools.map(({ name }) => name));
  });

  it('has only the 23 when the others are left out', async () => {
    const plain = await openTestToolbox(team, 'ada', 'specified');
    expect(plain.names().sort()).toEqual([...everyone, ...gated].sort());
    expect(await plain.use('unread')).toBe('error: there is no tool named unread');
  });

  it('lists exactly the specified arguments when the others are left out, and says that fs_read only reads', async () => {
    const plain = await openTestToolbox(team, 'ada', 'specified');
    const listed = Object.fromEntries(plain.toolbox.list().map((tool) => [tool.name, tool]));
    expect(
      Object.entries(listed).map(([name, { inputSchema }]) => [
        name,
        Object.keys((inputSchema.properties ?? {}) as object).join(' '),
      ]),
    ).toEqual(Object.entries(specifiedArguments));
    expect(listed.fs_read?.annotations).toMatchObject({ readOnlyHint: true });
    expect(await plain.use('fs_read', { path: '/ada/x', saveTo: 'x' })).toBe(
      "error: fs_read: unknown argument 'saveTo'",
    );
  });

  it('answers with exactly the specified text when the others are left out', async () => {
    const plain = await openTestToolbox(team, 'ada', 'specified');
    await plain.use('send', { to: 'ben', body: 'one' });
    const { content, structuredContent } = await plain.toolbox.call('recent', { with: 'ben' }, signal);
    expect(content).toHaveLength(1);
    expect(structuredContent).toBeUndefined();
  });

  it('names the team, the role, the teammates, and the caller once each', async () => {
    const json = JSON.stringify(ben.toolbox.list().map(({ description }) => description));
    for (const word of ['the team \\"Test\\"', 'You are ben (ben)', 'one member: ada, cy.'])
      expect(json.split(word)).toHaveLength(2);
  });

  it('costs less than 2,000 tokens as a whole, and has plain schemas', async () => {
    const own = await startTestBroker({ members: { 'dora-of-the-north': ['admin'] } });
    onTestFinished(() => own.stop());
    const dora = await openTestToolbox(own, 'dora-of-the-north');
    for (let n = 0; n < 12; n++)
      await dora.use('objectives_create', { title: 'T', outcome: 'O', assignee: 'dora-of-the-north' });
    await dora.refresh();
    expect(dora.names()).toEqual(tools.map(({ name }) => name));
    const list = dora.toolbox.list();
    // The fields that agents give to their models; the rest is for the agents themselves.
    const json = JSON.stringify(
      list.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    );
    expect(Buffer.byteLength(json) / bytesPerToken).toBeLessThan(2000);
    expect(json).not.toMatch(/anyOf|\$schema|"null"/);
    for (const tool of list) {
      expect(Buffer.byteLength(tool.description)).toBeLessThan(2048);
      expect(tool.annotations.openWorldHint).toBe(false);
      expect(tool.inputSchema).toMatchObject({ type: 'object' });
      expect(tool._meta).toMatchObject({ 'anthropic/alwaysLoad': true });
    }
  });
});

describe('inputs', () => {
  it.each([
    ['send', { body: 'x' }, 'send: to is required'],
    ['send', { to: 'ada' }, 'send: body is required'],
    ['send', { to: 'ada', body: '  ' }, 'send: body is required'],
    ['broadcast', {}, 'broadcast: body is required'],
    ['broadcast', undefined, 'broadcast: body is required'],
    ['objectives_update', { id: 'obj_0123456789' }, 'objectives_update: status is required'],
    [
      'objectives_update',
      { id: 'obj_0123456789', status: 'done' },
      "objectives_update: invalid status 'done'",
    ],
    [
      'objectives_update',
      { id: 'obj_0123456789', status: 'blocked' },
      'objectives_update: blockReason is required',
    ],
    ['objectives_list', { status: 'open' }, "objectives_list: invalid status 'open'"],
    ['objectives_complete', { id: 'obj_0123456789' }, 'objectives_complete: result is required'],
    ['objectives_view', {}, 'objectives_view: id is required'],
    ['fs_write', { path: '/ben/x' }, 'fs_write: mimeType is required'],
    [
      'fs_write',
      { path: '/ben/x', mimeType: 'text/plain' },
      'fs_write: exactly one of text and base64 is required',
    ],
    [
      'fs_write',
      { path: '/ben/x', mimeType: 'text/plain\r\nx-y: z', text: '' },
      'fs_write: mimeType: must be a MIME type such as text/plain',
    ],
    ['fs_mv', { from: '/ben/x' }, 'fs_mv: to is required'],
    ['send', { to: 'ada', text: 'x' }, "send: unknown argument 'text'"],
    ['roster', { verbose: true }, "roster: unknown argument 'verbose'"],
    ['roster', JSON.parse('{"__proto__":{"body":1}}'), "roster: unknown argument '__proto__'"],
  ])('%s %j answers what is wrong', async (name, input, text) => {
    expect(await ben.use(name, input)).toBe(`error: ${text}`);
  });

  it('count null as absent', async () => {
    expect(await ben.use('objectives_list', { status: null, who: null, made_up: null })).toMatch(
      /objectives/,
    );
  });

  it('a refusal of the broker is passed on as received', async () => {
    expect(await ben.use('send', { to: 'nobody', body: 'x' })).toBe(
      'error: broker error 404: {"error":"not_found","message":"there is no member named \\"nobody\\"","reason":"unknown_member"}',
    );
  });

  it('every tool answers invalid input with a sentence', async () => {
    for (const { name } of tools)
      for (const input of [null, 5, 'x', [], { id: 5, to: {}, path: [], body: 1, status: {} }])
        expect(typeof (await ada.use(name, input)), name).toBe('string');
  });
});

describe('the hint', () => {
  it('is a second text block, and the first one is exactly the specified text', async () => {
    ben.setUnread(3);
    const { content } = await ben.toolbox.call('fs_mkdir', { path: '/ben/h', recursive: true }, signal);
    expect(content).toEqual([
      { type: 'text', text: 'mkdir /ben/h' },
      { type: 'text', text: '3 unread; call recent' },
    ]);
    ben.setUnread(null);
    expect((await ben.toolbox.call('fs_stat', { path: '/ben/h' }, signal)).content).toHaveLength(1);
  });
});
