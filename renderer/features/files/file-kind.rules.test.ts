import { expect, it } from 'vitest';
import { fileKind } from './file-kind.rules.ts';

it.each<[string, string | null, string]>([
  ['chart.png', 'image/png', 'image'],
  ['chart.svg', 'image/svg+xml', 'code xml'],
  ['plan.pdf', 'application/octet-stream', 'pdf'],
  ['tides.md', null, 'markdown'],
  ['tides', 'text/markdown; charset=utf-8', 'markdown'],
  ['fix.patch', 'application/octet-stream', 'diff'],
  ['depth.ts', 'video/mp2t', 'code typescript'],
  ['Dockerfile', 'application/octet-stream', 'code dockerfile'],
  ['reply', 'application/json', 'code json'],
  ['notes.txt', 'text/plain', 'code'],
  ['page.html', 'text/html', 'code xml'],
  ['a.constructor', null, 'none'],
  ['tool.bin', 'application/octet-stream', 'none'],
])('shows %s of the type %j as %s', (name, type, shown) => {
  const found = fileKind(name, type);
  expect(found.kind === 'code' ? `code ${found.language ?? ''}`.trim() : found.kind).toBe(shown);
});
