import { expect, it } from 'vitest';
import { hostBehind } from './link-host.rules.ts';

it.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['example.com', 'https://example.com/'],
  ['Example.com/other', 'https://example.com/path'],
  ['http://box:8717/x', 'http://box:8717/x'],
])('shows nothing behind an address: %s', (words, href) => {
  expect(hostBehind(words, href)).toBeNull();
});

it.each([
  ['the docs', 'https://example.com/docs', 'example.com'],
  ['https://bank.example', 'https://evil.example/bank.example', 'evil.example'],
  ['https://bank.example', 'https://bank.example.evil.example', 'bank.example.evil.example'],
  ['https://bank.example@evil.example', 'https://bank.example@evil.example', 'evil.example'],
  ['https://evil.example', 'https://user@evil.example', 'evil.example'],
  ['https://аpple.example', 'https://аpple.example', 'xn--pple-43d.example'],
  ['\u202ehttps://example.com', 'https://example.com', 'example.com'],
  ['', 'https://example.com', 'example.com'],
])('shows where %j leads if it leads to %s', (words, href, host) => {
  expect(hostBehind(words, href)).toBe(host);
});
