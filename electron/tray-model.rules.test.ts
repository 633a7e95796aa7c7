import { expect, test } from 'vitest';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { type BrokerState, trayModel } from './tray-model.rules.ts';

const running: BrokerState = { kind: 'running', url: 'http://127.0.0.1:8717', isSetUp: true };
const device = (userCode: string, labelHint: string | null = null): PendingEnrollment => ({
  userCode,
  labelHint,
  sourceIp: null,
  userAgent: null,
  createdAt: 0,
  expiresAt: 1,
});
const app = { isLanOn: false, update: { kind: 'absent' } as const, startsAtLogin: null };
const nobody = { ...app, agents: [], recent: [], needs: 0 };
const labelsOf = (model: ReturnType<typeof trayModel>): string[] =>
  model.items.map((item) => (item.kind === 'separator' ? '—' : item.label));

test('begins with a short state, and offers the console', () => {
  const model = trayModel({ ...nobody, broker: running, member: 'ada', pending: [] });
  expect(model.icon).toBe('idle');
  expect(labelsOf(model)).toEqual([
    'Running',
    '—',
    'Open console',
    'LAN access',
    '—',
    'Run agent',
    '—',
    'Quit',
  ]);
});

test('highlights a waiting code, whose item opens the window: no item approves', () => {
  const model = trayModel({
    ...nobody,
    broker: running,
    member: 'ada',
    pending: [device('BCDF-GHJK', 'laptop')],
  });
  expect(model).toMatchObject({ icon: 'attention', tooltip: 'Muster: 1 device is waiting' });
  const actions = model.items.flatMap((item) => (item.kind === 'action' ? [item.action.kind] : []));
  expect(actions).toEqual(['openApproval', 'openConsole', 'openLanAccess', 'quit']);
});

test('says how many items need the member, and leads to the inbox', () => {
  const state = { ...nobody, broker: running, member: 'ada', pending: [] };
  const model = trayModel({ ...state, needs: 3 });
  expect(model).toMatchObject({ icon: 'attention', tooltip: 'Muster: 3 items need you' });
  expect(model.items).toContainEqual({ kind: 'action', label: 'Inbox (3)', action: { kind: 'openInbox' } });
  expect(labelsOf(trayModel({ ...state, needs: 1 }))).toContain('1 item needs you');
  // A device waits for a short time only, so it comes first.
  const both = labelsOf(trayModel({ ...state, needs: 3, pending: [device('BCDF-GHJK')] }));
  expect(both).toEqual(expect.arrayContaining(['1 device is waiting', 'Inbox (3)']));
});

test('removes control and direction characters from the label of a device, and shortens it', () => {
  const hostile = `a\u202e\n&${'x'.repeat(200)}`;
  const [, , item] = trayModel({
    ...nobody,
    broker: running,
    member: 'ada',
    pending: [device('BCDF-GHJK', hostile)],
  }).items;
  const label = item?.kind === 'action' ? item.label : '';
  expect(label).not.toMatch(/[\u202e\n&]/);
  expect(label.length).toBeLessThan(60);
});

test('counts waiting devices instead of listing them if there are many', () => {
  const pending = Array.from({ length: 9 }, (_, n) => device(`CODE-${n}`));
  expect(labelsOf(trayModel({ ...nobody, broker: running, member: 'ada', pending }))).toContain(
    '4 more devices…',
  );
});

test('says shortly that a broker failed, with an item for its log', () => {
  const model = trayModel({
    ...nobody,
    broker: { kind: 'failed', reason: 'the port is in use' },
    member: null,
    pending: [],
  });
  expect(model.icon).toBe('error');
  expect(labelsOf(model)).toEqual(['Not running', '—', 'Show why…', 'Try again', 'Open log', '—', 'Quit']);
});

test('offers the setup and no join command before the broker is set up', () => {
  const model = trayModel({ ...nobody, broker: { ...running, isSetUp: false }, member: null, pending: [] });
  expect(model.icon).toBe('attention');
  expect(labelsOf(model)).toEqual(['Not set up yet', '—', 'Set up…', '—', 'Quit']);
});

test('shows the offline icon while the broker starts or stops', () => {
  for (const kind of ['starting', 'stopping', 'stopped'] as const)
    expect(trayModel({ ...nobody, broker: { kind }, member: null, pending: [] }).icon).toBe('offline');
});

test('lists running agents above recent runs, with the state, Open, and Stop for each', () => {
  const model = trayModel({
    ...nobody,
    broker: running,
    member: 'ada',
    pending: [],
    agents: [{ id: 'a1', member: 'ben', agent: 'Claude Code', state: 'working' }],
    recent: [{ id: 'r1', member: 'cy', agent: 'my&tool', folder: '/home/ada/site' }],
  });
  const menus = model.items.filter((item) => item.kind === 'submenu');
  expect(menus).toEqual([
    {
      kind: 'submenu',
      label: 'Running agents (1)',
      items: [
        {
          kind: 'submenu',
          label: 'ben  Claude Code  working',
          items: [
            { kind: 'text', label: 'working' },
            { kind: 'action', label: 'Open', action: { kind: 'openAgents', id: 'a1' } },
            { kind: 'action', label: 'Stop', action: { kind: 'stopAgent', id: 'a1' } },
          ],
        },
      ],
    },
    {
      kind: 'submenu',
      label: 'Run agent',
      items: [
        { kind: 'action', label: 'cy  my tool  site', action: { kind: 'runRecent', id: 'r1' } },
        { kind: 'separator' },
        { kind: 'action', label: 'Other…', action: { kind: 'openAgents', id: null } },
      ],
    },
  ]);
});

test('offers to log in while nobody is logged in', () => {
  const labels = labelsOf(trayModel({ ...nobody, broker: running, member: null, pending: [] }));
  expect(labels).toContain('Log in…');
  expect(labels).not.toContain('Open console');
});

test('starts nothing while nobody is logged in, but can still stop running agents', () => {
  const agents = [{ id: 'a1', member: 'ben', agent: 'Codex', state: 'waiting' }];
  const labels = labelsOf(trayModel({ ...nobody, broker: running, member: null, pending: [], agents }));
  expect(labels).not.toContain('Run agent');
  expect(labels).toContain('Running agents (1)');
});

test('marks LAN access if it is on, and opens the page with the switch', () => {
  for (const isLanOn of [true, false]) {
    const { items } = trayModel({ ...nobody, isLanOn, broker: running, member: null, pending: [] });
    expect(items.find((item) => item.kind === 'action' && item.label === 'LAN access')).toMatchObject({
      isChecked: isLanOn,
      action: { kind: 'openLanAccess' },
    });
  }
});

test('offers the join command only while other machines can reach the broker', () => {
  for (const isLanOn of [true, false]) {
    const model = trayModel({ ...nobody, isLanOn, broker: running, member: 'ada', pending: [] });
    expect(labelsOf(model).includes('Copy join command')).toBe(isLanOn);
  }
});

test('offers updates and starting at login only if they are available', () => {
  const set = { ...nobody, broker: running, member: 'ada', pending: [] };
  const labels = (state: Parameters<typeof trayModel>[0]) =>
    trayModel(state).items.map((item) => ('label' in item ? item.label : '—'));
  expect(labels(set).slice(-1)).toEqual(['Quit']);
  expect(labels(set)).not.toContain('Check for updates');
  const { items } = trayModel({ ...set, update: { kind: 'ready', version: '2.0.0' }, startsAtLogin: true });
  expect(items.slice(-3)).toEqual([
    { kind: 'action', label: 'Restart to update to 2.0.0', action: { kind: 'installUpdate' } },
    { kind: 'action', label: 'Start at login', action: { kind: 'startAtLogin' }, isChecked: true },
    { kind: 'action', label: 'Quit', action: { kind: 'quit' } },
  ]);
});

test('says that it waits for a team, and offers to show why and nothing that needs a broker', () => {
  const broker: BrokerState = { kind: 'waiting', url: 'http://127.0.0.1:8717', isKept: false };
  const model = trayModel({ ...nobody, broker, member: 'ada', pending: [], needs: 2 });
  expect(model).toMatchObject({ icon: 'offline', tooltip: 'Muster: Waiting for a team' });
  expect(labelsOf(model)).toEqual(['Waiting for a team', '—', 'Show why…', '—', 'Quit']);
});

test('says that it stands by, and offers the console and agents, but not the network of this machine', () => {
  const broker: BrokerState = { kind: 'standingBy', url: 'http://127.0.0.1:8717' };
  const model = trayModel({ ...nobody, broker, member: 'ada', pending: [], needs: 2 });
  expect(model).toMatchObject({ icon: 'attention', tooltip: 'Muster: Standing by' });
  expect(labelsOf(model)).toEqual([
    'Standing by',
    '—',
    'Open console',
    'Inbox (2)',
    '—',
    'Run agent',
    '—',
    'Quit',
  ]);
  expect(labelsOf(trayModel({ ...nobody, broker, member: null, pending: [] }))).toContain('Log in…');
});
