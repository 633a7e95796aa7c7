/** The tools for objectives and for files. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
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

const uuid = '[0-9a-f-]{36}';
const matching = (pattern: string) => expect.stringMatching(new RegExp(`^${pattern}$`));

describe('objectives', () => {
  it('go from creation to completion', async () => {
    const created = await cy.use('objectives_create', {
      title: 'Ship',
      outcome: 'Version 2 is out',
      assignee: 'ben',
      watchers: ['ada'],
    });
    const id = /obj_\w{10}/.exec(created)?.[0] ?? '';
    expect(created).toBe(`created ${id} assigned to ben: Ship`);
    expect(cy.touches()).toBeGreaterThan(0);
    expect(await ben.use('objectives_list', { status: 'active' })).toBe(
      `1 objectives:\n- ${id} [active] Ship — outcome: Version 2 is out (just now)`,
    );
    expect(await ben.use('objectives_update', { id, status: 'blocked', blockReason: 'no key' })).toBe(
      `updated ${id}: status=blocked`,
    );
    expect(await ben.use('objectives_update', { id, status: 'active' })).toBe(`updated ${id}: status=active`);
    expect(await ben.use('objectives_discuss', { id, body: 'soon' })).toEqual(
      matching(`posted to objective ${id} thread: msg=${uuid}`),
    );
    expect(await cy.use('objectives_watchers', { id, remove: ['ada'] })).toBe(`updated ${id} watchers: none`);
    expect(await ada.use('objectives_reassign', { id, to: 'cy' })).toBe(`reassigned ${id} to cy: Ship`);
    expect(await cy.use('objectives_complete', { id, result: 'tagged' })).toBe(
      `completed ${id}: the originator cy is notified`,
    );
    const view = await ben.use('objectives_view', { id });
    expect(view).toContain('status: done');
    expect(view).toContain('result: tagged');
    expect(view.split('\n').filter((line) => line.startsWith('  ')).length).toBe(6);
  });

  it('are canceled by members with the permission', async () => {
    const created = await cy.use('objectives_create', { title: 'T', outcome: 'O', assignee: 'ben' });
    const id = /obj_\w{10}/.exec(created)?.[0] ?? '';
    expect(await cy.use('objectives_cancel', { id, reason: 'no need' })).toBe(`cancelled ${id}: T`);
  });

  it('answer the broker’s 403 when a hidden tool is called anyway', async () => {
    expect(ben.names()).not.toContain('objectives_create');
    expect(await ben.use('objectives_create', { title: 'T', outcome: 'O', assignee: 'ben' })).toMatch(
      /^error: broker error 403: \{"error":"forbidden"/,
    );
  });

  it('need director or manager authority when the latest briefing refuses a listed tool', async () => {
    const dan = await openTestToolbox(team, 'cy');
    expect(dan.names()).toContain('objectives_create');
    await team.as('ada').call('updateMember', { params: { name: 'cy' }, body: { permissions: [] } });
    await dan.refresh();
    expect(await dan.use('objectives_create', { title: 'T', outcome: 'O', assignee: 'ben' })).toBe(
      'error: objectives_create: director or manager authority is required',
    );
    await team
      .as('ada')
      .call('updateMember', { params: { name: 'cy' }, body: { permissions: ['operator'] } });
  });

  it('offer cancel and watchers to an originator without the permission while an objective of its own is open', async () => {
    const created = await cy.use('objectives_create', { title: 'Mine', outcome: 'O', assignee: 'ben' });
    const id = /obj_\w{10}/.exec(created)?.[0] ?? '';
    await team.as('ada').call('updateMember', { params: { name: 'cy' }, body: { permissions: [] } });
    await cy.refresh();
    expect(cy.names()).toEqual(expect.arrayContaining(['objectives_cancel', 'objectives_watchers']));
    expect(await cy.use('objectives_cancel', { id })).toBe(`cancelled ${id}: Mine`);
    await cy.refresh();
    expect(cy.names()).not.toContain('objectives_cancel');
    await team
      .as('ada')
      .call('updateMember', { params: { name: 'cy' }, body: { permissions: ['operator'] } });
    await cy.refresh();
  });
});

describe('files', () => {
  it('say why there are none if the broker keeps no files', async () => {
    const bare = await startTestBroker();
    onTestFinished(() => bare.stop());
    const own = await openTestToolbox(bare, 'ben');
    for (const [tool, input] of [
      ['fs_ls', {}],
      ['fs_shared', {}],
      ['fs_read', { path: '/ben/x' }],
    ] as const)
      expect(await own.use(tool, input)).toContain('this broker keeps no files');
  });

  it('are written, read, listed, moved, and removed', async () => {
    const write = { path: '/ben/notes/a.md', mimeType: 'text/markdown', text: '# Ä' };
    expect(await ben.use('fs_write', write)).toBe('wrote /ben/notes/a.md: size=4 mime=text/markdown');
    expect(await ben.use('fs_write', { ...write, collide: 'suffix' })).toBe(
      'wrote /ben/notes/a-1.md: size=4 mime=text/markdown (renamed: /ben/notes/a.md already exists)',
    );
    expect(await ben.use('fs_write', write)).toMatch(/^error: broker error 409: /);
    expect(await ben.use('fs_read', { path: '/ben/notes/a.md' })).toBe(
      '/ben/notes/a.md: size=4 mime=text/markdown\n# Ä',
    );
    expect(await ben.use('fs_ls')).toBe('/ben:\n- /ben/notes/ (directory, owner ben)');
    expect(await ben.use('fs_stat', { path: '/ben/notes/a.md' })).toBe(
      '- /ben/notes/a.md (4 bytes, text/markdown, owner ben)',
    );
    expect(await ben.use('fs_stat', { path: '/ben/none' })).toBe('/ben/none: not found');
    expect(await ben.use('fs_mkdir', { path: '/ben/d' })).toBe('mkdir /ben/d');
    expect(await ben.use('fs_mv', { from: '/ben/notes/a-1.md', to: '/ben/d/b.md' })).toBe(
      'mv /ben/notes/a-1.md → /ben/d/b.md',
    );
    expect(await ben.use('fs_rm', { path: '/ben/d' })).toMatch(/^error: broker error 409: /);
    expect(await ben.use('fs_rm', { path: '/ben/d', recursive: true })).toBe('rm /ben/d');
  });

  it('are read as base64 if they are not text', async () => {
    await ben.use('fs_write', { path: '/ben/x.bin', mimeType: 'application/octet-stream', base64: 'AP8=' });
    expect(await ben.use('fs_read', { path: '/ben/x.bin' })).toBe(
      '/ben/x.bin: size=2 mime=application/octet-stream\nAP8=',
    );
    expect(await ben.use('fs_write', { path: '/ben/y', mimeType: 'a/b', base64: '!' })).toBe(
      'error: fs_write: base64: is not valid base64',
    );
  });

  it('are resolved before a post, and shared by it', async () => {
    await ben.use('fs_write', { path: '/ben/shared.txt', mimeType: 'text/plain', text: 'hi' });
    for (const [path, problem] of [
      ['/ben/missing', 'attachment not found: /ben/missing'],
      ['/ben/notes', 'attachment is a directory: /ben/notes'],
      ['/ada/secret', 'attachment not found: /ada/secret'],
    ])
      expect(await ben.use('send', { to: 'cy', body: 'x', attachments: [path] })).toBe(`error: ${problem}`);
    expect(await cy.use('fs_read', { path: '/ben/shared.txt' })).toMatch(/^error: broker error 403/);
    await ben.use('send', { to: 'cy', body: 'x', attachments: ['/ben/shared.txt'] });
    expect(await cy.use('fs_shared')).toBe(
      'files shared with you:\n- /ben/shared.txt (2 bytes, text/plain, owner ben)',
    );
    expect(await cy.use('fs_read', { path: '/ben/shared.txt' })).toContain('\nhi');
  });
});
