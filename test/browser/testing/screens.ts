/** Every screen of the console, and a team whose day has left something on each of them. */
import type { Page } from 'playwright-core';
import { exchange, http, opened } from '../../../broker/features/activity/testing/activity-team.ts';
import type { TestBroker } from '../../../broker/testing/test-broker.ts';

export const demoMembers = {
  ada: ['admin'],
  ben: ['operator'],
  kim: [],
  lin: [],
  rui: ['observer'],
} as const;

async function enroll(team: TestBroker, labelHint: string): Promise<string> {
  const reply = await team.fetch(null, '/enroll', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'muster/0.1.0 (linux; arm64)' },
    body: JSON.stringify({ labelHint }),
  });
  return ((await reply.json()) as { userCode: string }).userCode;
}

async function write(team: TestBroker, path: string, mime: string, body: string): Promise<void> {
  const query = new URLSearchParams({ path, mime, collide: 'overwrite' });
  const reply = await team.fetch('ada', `/fs/write?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  });
  if (!reply.ok) throw new Error(await reply.text());
}

/** What the screens show, with the ids that their addresses need. */
export interface Demo {
  activeId: string;
  channel: string;
  /** Of a device that is waiting. */
  userCode: string;
}

export async function fillTeam(team: TestBroker): Promise<Demo> {
  const [ada, ben, kim] = [team.as('ada'), team.as('ben'), team.as('kim')];
  await ada.call('updateTeam', {
    body: {
      name: 'Harbour',
      directive: 'Ship a harbour map that pilots trust',
      brief: 'Soundings come from the survey boat every Monday.\nAsk ben before anything is published.',
    },
  });
  for (const [name, title] of Object.entries({
    ada: 'Harbour master',
    ben: 'Publisher',
    kim: 'Cartographer',
    lin: 'Tide analyst',
    rui: 'Observer',
  }))
    await ada.call('updateMember', { params: { name }, body: { role: { title, description: '' } } });
  const objective = (title: string, outcome: string, assignee: string, watchers: string[] = []) =>
    ada.call('createObjective', { body: { title, outcome, assignee, body: '', watchers } });
  const active = await objective(
    'Draw the east breakwater',
    'The breakwater is on the map, checked against the survey of May',
    'kim',
    ['ben'],
  );
  const blocked = await objective('Check the tide tables', 'Every table has a source and a date', 'lin');
  await objective('Answer the pilots', 'Each of the nine letters has a reply', 'ada');
  const done = await objective('Collect the old charts', 'All charts since 1950 are scanned', 'ben');
  const dropped = await objective('Model the silt', 'A forecast for five years', 'rui');
  await team.as('lin').call('updateObjective', {
    params: { id: blocked.id },
    body: {
      status: 'blocked',
      blockReason: 'The tables of 2019 are missing; ben has the key to the archive',
    },
  });
  await ben.call('completeObjective', {
    params: { id: done.id },
    body: { result: 'Scanned: **212** charts' },
  });
  await ada.call('cancelObjective', { params: { id: dropped.id }, body: { reason: 'No budget this year' } });
  await kim.call('discussObjective', {
    params: { id: active.id },
    body: { body: 'Half of it is drawn.', attachments: [] },
  });
  const channel = await ada.call('createChannel', { body: { slug: 'soundings' } });
  await ada.call('createChannel', { body: { slug: 'printing' } });
  await ada.call('joinChannel', { params: { slug: 'soundings' }, body: { member: 'ben' } });
  await ada.call('push', { body: { to: null, body: 'Morning. The boat leaves at **nine**.' } });
  await ben.call('push', {
    body: {
      to: null,
      body: 'Two things:\n\n1. the tables are in `archive/2019`\n2. @ada, who signs?\n\n```\nmake chart SHEET=4\n```\n\n> quoted from the harbour office\n\n| sheet | state |\n|---|---|\n| 4 | drawn |\n\nSee https://example.org/charts',
    },
  });
  await ben.call('push', {
    body: { to: null, level: 'warning', title: 'Wind', body: 'Gusts from the **west** after noon.' },
  });
  await ben.call('push', { body: { to: 'ada', body: 'Can you look at sheet 4?' } });
  await ben.call('push', {
    body: { to: null, body: 'First soundings are in.', data: { thread: `chan:${channel.id}` } },
  });
  await write(
    team,
    '/ada/notes/tides.md',
    'text/markdown',
    '# Tides\n\nHigh water at **six**.\n\n- sheet 4\n- sheet 5\n',
  );
  await write(team, '/ada/pins.json', 'application/json', '{"pins":[{"x":1,"y":2}]}');
  await write(team, '/ada/survey.txt', 'text/plain', 'depth 4.2\ndepth 4.4\n');
  await ada.call('push', { body: { to: 'ben', body: 'Here it is.', attachments: ['/ada/survey.txt'] } });
  const now = Date.now();
  const turns = Array.from({ length: 12 }, (_, n) =>
    exchange(now - n * 400_000, {
      model: 'claude-sonnet',
      request: {
        system: 'You draw harbour maps.',
        messages: [{ role: 'user', content: [{ type: 'text', text: `Draw part ${n}` }] }],
        tools: [{ name: 'draw_line' }],
        maxTokens: 1000,
        temperature: null,
      },
      response: {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'text', text: `Part ${n} is drawn.` },
              { type: 'tool_use', name: 'draw_line', input: { from: [0, n], to: [4, n] } },
            ],
          },
        ],
        stopReason: 'tool_use',
        status: null,
        usage: {
          inputTokens: 4200 + n,
          outputTokens: 310,
          cacheReadInputTokens: 900,
          cacheCreationInputTokens: 0,
        },
      },
    }),
  );
  await kim.call('uploadActivity', {
    params: { name: 'kim' },
    body: { events: [opened(now - 6_000_000, active.id), ...turns, http(now - 100)] as never },
  });
  await enroll(team, 'laptop of kim');
  const userCode = await enroll(team, 'build machine');
  await ada.call('rejectEnrollment', {
    body: { userCode: await enroll(team, 'unknown phone'), reason: 'nobody knows it' },
  });
  return { activeId: active.id, channel: channel.id, userCode };
}

export interface Screen {
  name: string;
  path: string;
  /** Resolves when the screen is there. */
  ready: (page: Page) => Promise<unknown>;
}

/** The approval page is a dialog as well, and stays. */
const openLayer = (page: Page) =>
  page.locator('[role=dialog], [role=menu], [role=alertdialog]:not(main *)').first();

/** Navigates within the app, as links do; addresses outside of it are loaded. */
export async function visitScreen(page: Page, { path, ready }: Screen): Promise<void> {
  const isInside = path.startsWith('/app') && (await page.getByRole('main').count()) > 0;
  if (isInside && new URL(page.url()).pathname.startsWith('/app')) {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    // A secret that is shown once is closed by a button only.
    const secret = page.getByRole('dialog').filter({ hasText: 'Scan the code with' });
    if ((await secret.count()) > 0) await secret.getByRole('button', { name: 'Close' }).click();
    // A layer that is closing still takes keys, and may still change the address.
    await openLayer(page).waitFor({ state: 'detached' });
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  } else await page.goto(path);
  await ready(page);
}

export function screensOf({ activeId, channel, userCode }: Demo): Screen[] {
  const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const text = (words: string) => (page: Page) => page.getByText(words, { exact: false }).first().waitFor();
  const dialog = (name: string) => (page: Page) => page.getByRole('dialog', { name }).waitFor();
  const rejected = (page: Page) => page.getByRole('button', { name: /^device rejected/ }).waitFor();
  const press = (role: 'button' | 'link' | 'tab' | 'menuitem', name: string | RegExp) => (page: Page) =>
    page.getByRole(role, { name }).first().click();
  const all =
    (...steps: ((page: Page) => Promise<unknown>)[]) =>
    async (page: Page) => {
      for (const step of steps) await step(page);
    };
  return [
    { name: 'home', path: '/app', ready: text('Check the tide tables') },
    { name: 'conversation', path: '/app/conversations/general', ready: text('Gusts from the') },
    {
      name: 'conversation-direct',
      path: '/app/conversations/dm:ben',
      ready: text('Can you look at sheet 4?'),
    },
    {
      name: 'receipts',
      path: '/app/conversations/dm:ben',
      ready: all(text('Here it is.'), press('button', 'Show receipts'), (page) =>
        page.getByRole('dialog', { name: 'Receipts' }).getByText('ben').waitFor(),
      ),
    },
    { name: 'conversation-empty', path: '/app/conversations/dm:rui', ready: text('No messages yet') },
    {
      name: 'conversation-channel',
      path: `/app/conversations/chan:${channel}`,
      ready: text('First soundings'),
    },
    { name: 'search', path: '/app/conversations/general?search=sheet', ready: text('Can you look at') },
    { name: 'objectives', path: '/app/objectives', ready: text('Answer the pilots') },
    {
      name: 'objectives-board',
      path: '/app/objectives?view=board',
      ready: (page) =>
        page.getByRole('region', { name: 'done' }).getByText('Collect the old charts').waitFor(),
    },
    {
      name: 'objectives-none',
      path: '/app/objectives?q=unlikely',
      ready: text('No objective matches the filter'),
    },
    { name: 'objective-create', path: '/app/objectives?create=true', ready: dialog('New objective') },
    {
      name: 'objective-peek',
      path: `/app/objectives?peek=${activeId}`,
      ready: dialog('Draw the east breakwater'),
    },
    { name: 'objective', path: `/app/objectives/${activeId}`, ready: text('Half of it is drawn.') },
    {
      name: 'objective-block',
      path: `/app/objectives/${activeId}`,
      ready: all(text('Half of it is drawn.'), press('button', 'Block'), dialog('Block objective')),
    },
    {
      name: 'objective-menu',
      path: `/app/objectives/${activeId}`,
      ready: all(text('Half of it is drawn.'), press('button', 'More'), (page) =>
        page.getByRole('menuitem', { name: 'Reassign' }).waitFor(),
      ),
    },
    {
      name: 'members',
      path: '/app/members',
      ready: (page) => page.getByRole('link', { name: /^rui/ }).waitFor(),
    },
    { name: 'member-create', path: '/app/members?create=true', ready: dialog('New member') },
    { name: 'member', path: '/app/members/kim', ready: all(heading('kim'), text('primary token')) },
    {
      name: 'member-delete',
      path: '/app/members/kim',
      ready: all(press('button', 'Delete kim'), (page) => page.getByRole('alertdialog').waitFor()),
    },
    {
      name: 'member-totp',
      path: '/app/members/kim',
      ready: all(
        press('button', /^(Enroll an|Replace the) authenticator/),
        press('button', 'Create a new secret'),
        text('Scan the code with'),
      ),
    },
    { name: 'audit', path: '/app/audit', ready: rejected },
    {
      name: 'audit-record',
      path: '/app/audit',
      ready: all(rejected, press('button', /^audit started/), text('SHA-256')),
    },
    { name: 'devices', path: '/app/devices', ready: all(text('laptop of kim'), text('nobody knows it')) },
    {
      name: 'device-approve',
      path: '/app/devices',
      ready: all(press('button', 'Approve…'), dialog('Approve')),
    },
    {
      name: 'approval',
      path: `/app/approve?code=${userCode}`,
      ready: text('Approve device'),
    },
    { name: 'channels', path: '/app/channels', ready: text('soundings') },
    {
      name: 'channel',
      path: `/app/channels?channel=${channel}`,
      ready: all(dialog('#soundings'), text('Add a member')),
    },
    { name: 'channel-create', path: '/app/channels?create=true', ready: dialog('New channel') },
    {
      name: 'device-reject',
      path: '/app/devices',
      ready: all(press('button', 'Reject…'), dialog('Reject')),
    },
    {
      name: 'folder-create',
      path: '/app/files',
      ready: all(text('pins.json'), press('button', 'New folder'), dialog('New folder')),
    },
    { name: 'files', path: '/app/files', ready: text('pins.json') },
    {
      name: 'file',
      path: '/app/files?path=/ada/notes&file=/ada/notes/tides.md',
      ready: text('High water at'),
    },
    { name: 'files-shared', path: '/app/files?shared=true', ready: text('No shared files') },
    { name: 'activity', path: '/app/activity?member=kim', ready: text('Part 3 is drawn.') },
    {
      name: 'exchange',
      path: '/app/activity?member=kim&kind=llm_exchange',
      ready: all(
        // The rows of the previous choice disappear with it, so none of them is clicked meanwhile.
        (page) =>
          page
            .getByLabel('Kind')
            .locator('option:checked', { hasText: 'exchange' })
            .waitFor({ state: 'attached' }),
        press('link', /Part 3 is drawn/),
        dialog('exchange of kim'),
      ),
    },
    { name: 'agents', path: '/app/agents', ready: text('Run an agent') },
    { name: 'settings', path: '/app/settings', ready: text('Permission presets') },
    { name: 'settings-notifications', path: '/app/settings?part=notifications', ready: text('his browser') },
    { name: 'settings-access', path: '/app/settings?part=access', ready: text('Join from another machine') },
    { name: 'settings-health', path: '/app/settings?part=health', ready: text('Event loop') },
    { name: 'settings-retention', path: '/app/settings?part=retention', ready: text('Nothing is held') },
    { name: 'settings-about', path: '/app/settings?part=about', ready: text('telemetry preview') },
    {
      name: 'settings-federation',
      path: '/app/settings?part=federation',
      ready: text('let it sign in as anyone'),
    },
    {
      name: 'palette',
      path: '/app',
      ready: all(text('Check the tide tables'), press('button', 'Search'), dialog('Command palette')),
    },
    {
      name: 'shortcuts',
      path: '/app',
      ready: all(
        text('Check the tide tables'),
        (page) => page.keyboard.press('?'),
        dialog('Keyboard shortcuts'),
      ),
    },
    { name: 'enroll', path: '/enroll?code=BCDF-GHJK', ready: heading('A device wants to join') },
    { name: 'not-found', path: '/app/nowhere', ready: text('Page not found') },
  ];
}
