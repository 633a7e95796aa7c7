import { expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { deviceLabel } from './device-label.rules.ts';

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['muster/0.1.0 (linux; arm64)', 'muster on Linux'],
  ['Electron/39.2.0 (darwin)', 'Muster desktop app on macOS'],
  ['Electron/39.2.0 (win32)', 'Muster desktop app on Windows'],
  ['curl/8.5.0', 'curl'],
  ['Mozilla/5.0', 'browser'],
  ['', 'unknown device'],
  [undefined, 'unknown device'],
  ['\u202e<script>', 'unknown device'],
  ['Evil\u202e\u0007name/1', 'Evil'],
])('calls %j "%s"', (userAgent, label) => {
  expect(deviceLabel(userAgent)).toBe(label);
});

it('is short, however long the header is', () => {
  expect(deviceLabel(`${'a'.repeat(10_000)}/1 Linux`)).toHaveLength(limits.session.device);
});
