import { expect, it } from 'vitest';
import { fileSize } from './file-size.rules.ts';

const said = (value: number, digits: number) =>
  new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(value);

it.each([
  [0, `${said(0, 0)}\u00a0B`],
  [999, `${said(999, 0)}\u00a0B`],
  [1000, `${said(1, 1)}\u00a0kB`],
  [1_250_000, `${said(1.25, 1)}\u00a0MB`],
  [5e13, `${said(50_000, 1)}\u00a0GB`],
])('formats %d bytes', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text);
});
