import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetchEngine, installedEngine, whyNoWindow } from './open-desktop.ts';

test('opens the app only if there is a screen, and never as root on Linux, and says why', () => {
  expect(whyNoWindow('linux', { DISPLAY: ':0' }, 1000)).toBeNull();
  expect(whyNoWindow('linux', { WAYLAND_DISPLAY: 'wayland-0' }, 1000)).toBeNull();
  expect(whyNoWindow('linux', {}, 1000)).toContain('no display');
  expect(whyNoWindow('linux', { DISPLAY: ':0' }, 0)).toContain('root');
  expect(whyNoWindow('darwin', {}, 501)).toBeNull();
  expect(whyNoWindow('darwin', { SSH_CONNECTION: 'a' }, 501)).toContain('SSH');
});

test('counts an engine as installed only with its program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-engine-'));
  try {
    expect(installedEngine(folder)).toBeNull();
    writeFileSync(join(folder, 'path.txt'), 'electron');
    expect(installedEngine(folder)).toBeNull();
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'electron'), '');
    chmodSync(join(folder, 'dist', 'electron'), 0o755);
    expect(installedEngine(folder)).toBe(join(folder, 'dist', 'electron'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('starts the broker without the app if the engine cannot be downloaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-engine-'));
  try {
    writeFileSync(join(folder, 'install.js'), 'process.exit(1)');
    expect(fetchEngine(folder)).toBe(false);
    writeFileSync(join(folder, 'install.js'), 'process.exit(0)');
    expect(fetchEngine(folder)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
