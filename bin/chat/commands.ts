/** The inputs at the prompt of chat: a message, or a command that begins with a slash. */

import { nearestWord } from '#platform/nearest-word.ts';
import { memberOf } from '../checked-input.ts';
import { CommandFailure } from '../command-failure.ts';
import { oneLine } from '../terminal-text.ts';
import type { Entered } from './screen.ts';

export type Order =
  | { kind: 'text'; body: string }
  | { kind: 'help' | 'quit' | 'objectives' }
  | { kind: 'with'; member: string }
  | { kind: 'channel'; slug: string }
  | { kind: 'file'; path: string; body: string | undefined };

/** In the order in which `/help` lists them: the form, and what it does. */
const forms = {
  help: ['/help', 'list the commands'],
  with: ['/with <member>', 'write to this member from now on'],
  channel: ['/channel <slug>', 'write to this channel from now on'],
  file: ['/file <local path> [text]', 'upload a file to your home, and send it with the text'],
  objectives: ['/objectives', 'list the objectives that are assigned to you'],
  quit: ['/quit', 'leave; Ctrl+C and Ctrl+D do the same'],
} as const;
type Name = keyof typeof forms;
const names = Object.keys(forms) as Name[];

export function helpText(): string {
  const rows = [...names.map((name) => forms[name]), ['//text', 'send a text that begins with a slash']];
  return rows.map(([form = '', what = '']) => `  ${form.padEnd(28)}${what}`).join('\n');
}

/** @throws CommandFailure for what is no command, so that it is never sent as a message. */
export function orderOf({ text, isText }: Entered): Order {
  if (isText || !text.startsWith('/')) return { kind: 'text', body: text };
  if (text.startsWith('//')) return { kind: 'text', body: text.slice(1) };
  const [, written = '', rest = ''] = /^\/(\S*)\s*(.*?)\s*$/s.exec(text) ?? [];
  const name = names.find((one) => one === written);
  if (name === undefined) throw unknown(written);
  if (name === 'file') return fileOrder(rest);
  const takesWord = name === 'with' || name === 'channel';
  if (takesWord !== (rest !== '') || /\s/.test(rest))
    throw new CommandFailure(`write ${forms[name][0]}. Nothing was sent.`);
  if (name === 'with') return { kind: name, member: memberOf(rest) };
  return name === 'channel' ? { kind: name, slug: rest } : { kind: name };
}

function unknown(written: string): CommandFailure {
  const nearest = nearestWord(written, names);
  const advice = nearest === undefined ? 'Enter /help for a list' : `Did you mean /${nearest}?`;
  return new CommandFailure(
    `there is no command "/${oneLine(written)}", so nothing was sent. ${advice}${nearest === undefined ? ', or begin a message with "//".' : ''}`,
  );
}

/** A path with spaces is written in quotation marks. */
function fileOrder(rest: string): Order {
  const [, double, single, bare, body = ''] = /^(?:"([^"]+)"|'([^']+)'|(\S+))(?:\s+(.*))?$/s.exec(rest) ?? [];
  const path = double ?? single ?? bare;
  if (path === undefined) throw new CommandFailure(`write ${forms.file[0]}. Nothing was sent.`);
  return { kind: 'file', path, body: body === '' ? undefined : body };
}

/** Returns the whole lines to which Tab could complete this one. */
export function completionsOf(line: string, members: readonly string[], slugs: readonly string[]): string[] {
  const [, before = '', begun = ''] = /^(.*\s)?(\S*)$/s.exec(line) ?? [];
  const words = wordsAfter(before, begun, members, slugs);
  return words.filter((word) => word.startsWith(begun)).map((word) => `${before}${word} `);
}

function wordsAfter(
  before: string,
  begun: string,
  members: readonly string[],
  slugs: readonly string[],
): readonly string[] {
  if (before === '' && begun.startsWith('/')) return names.map((name) => `/${name}`);
  if (before.trim() === '/with') return members;
  if (before.trim() === '/channel') return slugs;
  return begun.startsWith('@') ? members.map((member) => `@${member}`) : [];
}
