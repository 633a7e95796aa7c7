import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { drawnCode } from './setup-authenticator.ts';

const text = 'otpauth://totp/Blue:ada?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567&issuer=Blue';
const { data, size } = encode(text, { ecc: 'L', border: 2 });
const room = { columns: 80, rows: 24 };
const escapeStart = '\u001b[';

/** Returns for each square whether it has the color of the text. */
function squaresOf(drawn: string): boolean[][] {
  return drawn.split('\n').flatMap((line) => {
    const blocks = [...line.replaceAll(/[^█▀▄ ]/g, '')];
    return ['█▀', '█▄'].map((inked) => blocks.map((block) => inked.includes(block)));
  });
}

describe('the QR code in a terminal', () => {
  it('is dark on light with colors', () => {
    const drawn = drawnCode(text, { ...room, hasColors: true }) ?? '';
    expect(squaresOf(drawn).slice(0, size)).toEqual(data);
    expect(drawn).toContain(`${escapeStart}38;5;16;48;5;231m`);
  });

  it('draws the light squares without colors', () => {
    const drawn = drawnCode(text, { ...room, hasColors: false }) ?? '';
    expect(squaresOf(drawn).slice(0, size)).toEqual(data.map((row) => row.map((isDark) => !isDark)));
    expect(drawn).not.toContain(escapeStart);
  });

  it('is left out if it does not fit the terminal', () => {
    expect(drawnCode(text, { ...room, columns: size - 1, hasColors: true })).toBeNull();
    expect(drawnCode(text, { ...room, rows: 12, hasColors: true })).toBeNull();
  });
});
