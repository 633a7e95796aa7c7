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
const labelsOf = (model: ReturnType<typeof trayModel>): string[] =>
  model.items.map((item) => (item.kind === 'separator' ? '—' : item.label));

test('a quiet running broker shows its address and the ways in', () => {
  const model = trayModel({ broker: running, member: 'ada', pending: [] });
  expect(model.icon).toBe('idle');
  expect(labelsOf(model)).toEqual([
    'running at http://127.0.0.1:8717',
    '—',
    'Open console',
    'Copy join command',
    '—',
    'Quit',
  ]);
});

test('a waiting code calls for attention, and its line opens the window: nothing in the menu approves', () => {
  const model = trayModel({ broker: running, member: 'ada', pending: [device('BCDF-GHJK', 'laptop')] });
  expect(model).toMatchObject({ icon: 'attention', tooltip: 'Muster: a device waits for approval' });
  const actions = model.items.flatMap((item) => (item.kind === 'action' ? [item.action.kind] : []));
  expect(actions).toEqual(['openApproval', 'openConsole', 'copyJoinCommand', 'quit']);
});

test('a device cannot write into the menu: control and direction characters and length are taken away', () => {
  const hostile = `a\u202e\n&${'x'.repeat(200)}`;
  const [, , item] = trayModel({
    broker: running,
    member: 'ada',
    pending: [device('BCDF-GHJK', hostile)],
  }).items;
  const label = item?.kind === 'action' ? item.label : '';
  expect(label).not.toMatch(/[\u202e\n&]/);
  expect(label.length).toBeLessThan(60);
});

test('many waiting devices are counted, not listed', () => {
  const pending = Array.from({ length: 9 }, (_, n) => device(`CODE-${n}`));
  expect(labelsOf(trayModel({ broker: running, member: 'ada', pending }))).toContain('4 more devices wait…');
});

test('a broker that failed says why, with its log at hand and no console', () => {
  const model = trayModel({
    broker: { kind: 'failed', reason: 'the port is in use' },
    member: null,
    pending: [],
  });
  expect(model.icon).toBe('error');
  expect(labelsOf(model)).toEqual([
    'the broker does not run: the port is in use',
    '—',
    'Open log',
    '—',
    'Quit',
  ]);
});

test('before set-up the way in is the set-up, and there is no join command', () => {
  const model = trayModel({ broker: { ...running, isSetUp: false }, member: null, pending: [] });
  expect(model.icon).toBe('attention');
  expect(labelsOf(model)).toEqual(['waiting to be set up', '—', 'Set up…', '—', 'Quit']);
});

test('while it starts or stops the icon is offline', () => {
  for (const kind of ['starting', 'stopping', 'stopped'] as const)
    expect(trayModel({ broker: { kind }, member: null, pending: [] }).icon).toBe('offline');
});
