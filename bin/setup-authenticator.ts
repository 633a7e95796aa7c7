/**
 * Enrolls the first member's authenticator in a terminal, before anything is written
 * (specification/command-line.md#setup).
 */
import process from 'node:process';
import { renderUnicodeCompact } from 'uqr';
import { svcCommand } from '#platform/svc-command.ts';
import type { TotpEnrollment } from '#protocol/member.ts';
import { mintTotpSecret, totpUri } from '../broker/security/totp.ts';
import { totpStepOf } from '../broker/security/totp-codes.ts';
import { hasColors } from './colors.ts';
import { remark } from './output.ts';
import type { Questioner } from './setup-questions.ts';
import { quoted } from './shell-line.ts';
import { oneLine } from './terminal-text.ts';

const triesBeforeOffer = 3;

export interface Confirmed {
  totpSecret: string;
  code: string;
}

/** Returns null if the person skips it. Ctrl+C stops the setup: @throws CommandFailure. */
export async function confirmAuthenticator(
  questioner: Questioner,
  { team, admin }: { team: string; admin: string },
): Promise<Confirmed | null> {
  const totpSecret = mintTotpSecret();
  const proposed = { totpSecret, totpUri: totpUri(team, admin, totpSecret) };
  const code = await askForCode(questioner, proposed, 'skip');
  if (code !== null) return { totpSecret, code };
  remark(
    `The authenticator was skipped, so nobody can log in with a code yet. To enroll one later, run "${svcCommand} members enroll-totp ${quoted(admin)}" while the broker runs.`,
  );
  return null;
}

/**
 * Shows a new authenticator and asks until a code of it is right; null if the person leaves it out. `leave` is the word that
 * does, as Enter does. @throws CommandFailure on Ctrl+C.
 */
export async function askForCode(
  questioner: Pick<Questioner, 'line' | 'confirm'>,
  { totpSecret, totpUri: uri }: TotpEnrollment,
  leave: 'skip' | 'stop',
): Promise<string | null> {
  const drawn = drawnCode(uri, {
    columns: process.stderr.columns,
    rows: process.stderr.rows,
    hasColors: hasColors(process.stderr),
  });
  remark(
    drawn === null
      ? 'Add this address to an authenticator app:'
      : `Scan this code with an authenticator app, or add the address below it:\n${drawn}`,
  );
  remark(oneLine(uri));
  for (let tries = 1; ; tries++) {
    const code = await questioner.line(`Current code of the authenticator (press Enter to ${leave}): `);
    if (code === '' || code === leave) return null;
    if (/^\d{6}$/.test(code) && totpStepOf(totpSecret, code, Date.now()) !== null) return code;
    remark(
      /^\d{6}$/.test(code)
        ? '  This is not the current code. Check that both clocks are correct, and try the next code.'
        : '  A code has six digits.',
    );
    if (
      tries % triesBeforeOffer === 0 &&
      (await questioner.confirm(
        leave === 'skip' ? 'Skip the authenticator?' : 'Stop without a new authenticator?',
      ))
    )
      return null;
  }
}

/**
 * Returns the QR code in half blocks; null if the terminal is too small. With colors, it is black on white in
 * every theme; without them, its light squares have the color of the text, as on a dark terminal.
 */
export function drawnCode(
  text: string,
  { columns, rows, hasColors }: { columns: number; rows: number; hasColors: boolean },
): string | null {
  // The inverted form draws the dark squares.
  const lines = renderUnicodeCompact(text, { ecc: 'L', border: 2, invert: hasColors }).split('\n');
  const width = Math.max(...lines.map((line) => line.length));
  // The question must fit below.
  if (width > columns || lines.length + 3 > rows) return null;
  const colored = (line: string) => `\u001b[38;5;16;48;5;231m${line.padEnd(width)}\u001b[0m`;
  return (hasColors ? lines.map(colored) : lines).join('\n');
}
