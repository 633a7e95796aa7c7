import { expect, test } from 'vitest';
import { powerActions } from './power.rules.ts';
import { createSessionJar } from './session-jar.ts';
import { drawTrayIcon } from './tray-icon.ts';

test('the session of a reply is kept and sent along, and forgotten when a reply ends it', () => {
  const changes: (string | null)[] = [];
  const jar = createSessionJar((value) => changes.push(value), null);
  expect(jar.headers()).toEqual({});
  jar.take('svc_session=abc; Path=/; HttpOnly; Max-Age=60');
  jar.take(['other=1', 'svc_session=abc; Path=/']);
  expect(jar.headers()).toEqual({ cookie: 'svc_session=abc' });
  jar.take('svc_session=; Path=/; Max-Age=0');
  expect(jar.headers()).toEqual({});
  expect(changes).toEqual(['abc', null]);
});

test('streams are closed before sleep and opened after it', () => {
  expect(powerActions('suspend')).toEqual(['closeFeeds']);
  expect(powerActions('resume')).toEqual(['openFeeds', 'readPending']);
  expect(powerActions('shutdown')).toEqual(['quit']);
});

test('each state of the tray has an icon of its own in every shade', () => {
  for (const shade of ['light', 'dark', 'template'] as const) {
    const icons = (['idle', 'attention', 'offline'] as const).map((icon) =>
      drawTrayIcon(icon, shade, 32).toString('hex'),
    );
    expect(new Set(icons).size).toBe(3);
  }
  expect(drawTrayIcon('error', 'dark', 32).equals(drawTrayIcon('attention', 'dark', 32))).toBe(false);
});
