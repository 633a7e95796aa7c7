/**
 * Decides about colors, for the whole command: only on a terminal, and not with `--no-color`, NO_COLOR, or TERM=dumb
 * (specification/command-line.md#output). Remote text is escaped before it is colored.
 */
import process from 'node:process';
import { styleText } from 'node:util';

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

let areOff = false;

/** For `--no-color`, which also overrules FORCE_COLOR. */
export function turnOffColors(): void {
  areOff = true;
}

/** Returns the text as it is if it has no style, or if `stream`, on which it will appear, shows no colors. */
export function colored(
  style: Style | undefined,
  text: string,
  stream: NodeJS.WritableStream = process.stdout,
): string {
  // styleText follows the stream, NO_COLOR, FORCE_COLOR, and TERM.
  return areOff || style === undefined ? text : styleText(style, text, { stream });
}

export const hasColors = (stream: NodeJS.WritableStream): boolean => colored('bold', 'x', stream) !== 'x';

const styleByLevel = new Map<string, Style>([
  ['warning', 'yellow'],
  ['error', 'red'],
  ['critical', 'red'],
]);
const styleByStatus = new Map<string, Style>([
  ['active', 'cyan'],
  ['blocked', 'yellow'],
  ['done', 'green'],
  ['cancelled', 'dim'],
]);

/** The style of a message of this level. */
export const levelStyle = (level: string): Style | undefined => styleByLevel.get(level);

/** The style of the status of an objective. */
export const statusStyle = (status: string): Style | undefined => styleByStatus.get(status);

/** @param text the words of `muster roster` about a member. */
export function presenceStyle(text: string): Style {
  if (text.startsWith('offline')) return 'dim';
  return /, (?:not responding|reached by neither)/.test(text) ? 'yellow' : 'green';
}
