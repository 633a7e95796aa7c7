import { expect, test } from 'vitest';
import { besideTray, windowOptions } from './window-options.rules.ts';

test('makes every window sandboxed, isolated, without Node, and hidden until it is shown', () => {
  for (const kind of ['console', 'approval'] as const)
    expect(windowOptions(kind, '/p.cjs', '--a=b')).toMatchObject({
      show: false,
      webPreferences: {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webSecurity: true,
        webviewTag: false,
      },
    });
});

test('remembers where the person put the console, and puts the approval window beside the tray', () => {
  expect(windowOptions('console', '/p.cjs', '')).toMatchObject({
    name: 'console',
    windowStatePersistence: { bounds: true },
  });
  expect(windowOptions('approval', '/p.cjs', '')).not.toHaveProperty('windowStatePersistence');
});

test('places the approval window next to the tray icon and entirely on the screen', () => {
  const screen = { x: 0, y: 0, width: 1000, height: 800 };
  const size = { width: 420, height: 360 };
  expect(besideTray(null, screen, size)).toEqual({ x: 572, y: 8 });
  expect(besideTray({ x: 980, y: 0, width: 20, height: 24 }, screen, size)).toEqual({ x: 572, y: 32 });
  expect(besideTray({ x: 500, y: 776, width: 20, height: 24 }, screen, size)).toEqual({ x: 300, y: 408 - 0 });
});
