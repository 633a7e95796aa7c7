/**
 * The questions of an interactive setup: it shows the default and asks again until the answer is valid
 * (specification/command-line.md#setup).
 */
import process from 'node:process';
import { createInterface, type Interface } from 'node:readline/promises';
import type { z } from 'zod';
import { SetupRequest } from '#protocol/setup.ts';
import { CommandFailure } from './command-failure.ts';
import { remark } from './output.ts';

const { team, admin } = SetupRequest.shape;

export interface SetupField {
  /** The option that gives it without a question. */
  option: 'team' | 'directive' | 'brief' | 'admin' | 'admin-title';
  question: string;
  schema: z.ZodType<unknown, unknown>;
  default: string | undefined;
}

export const setupFields: readonly SetupField[] = [
  { option: 'team', question: 'Team name', schema: team.shape.name, default: undefined },
  {
    option: 'directive',
    question: 'Directive (what the team should achieve)',
    schema: team.shape.directive,
    default: '',
  },
  {
    option: 'brief',
    question: 'Brief (what every member must know, in one line)',
    schema: team.shape.brief,
    default: '',
  },
  { option: 'admin', question: 'Your member name', schema: admin.shape.name, default: undefined },
  {
    option: 'admin-title',
    question: 'Your title',
    schema: admin.shape.role.shape.title,
    default: 'Director',
  },
];

/** Returns the schema's message about an invalid answer; undefined if the answer is valid. */
export function faultOf(field: SetupField, answer: string): string | undefined {
  const checked = field.schema.safeParse(answer);
  return checked.success ? undefined : (checked.error.issues[0]?.message ?? 'is not valid');
}

export interface Questioner {
  ask(field: SetupField): Promise<string>;
  /** One trimmed line. */
  line(question: string): Promise<string>;
  /** No unless the answer is yes. */
  confirm(question: string): Promise<boolean>;
  close(): void;
}

/**
 * Asks on standard error, so that standard output contains only the result. Ctrl+C and Ctrl+D stop: @throws
 * CommandFailure.
 */
export function createQuestioner(): Questioner {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  lines.on('SIGINT', () => lines.close());
  lines.on('close', () => closed.abort());
  return {
    async ask(field) {
      const shown = field.default === undefined ? '' : ` [${field.default || 'none'}]`;
      for (;;) {
        const given = (await answerTo(lines, `${field.question}${shown}: `, closed.signal)).trim();
        const answer = given === '' ? (field.default ?? '') : given;
        const fault = faultOf(field, answer);
        if (fault === undefined) return answer;
        remark(`  ${fault}`);
      }
    },
    async line(question) {
      return (await answerTo(lines, question, closed.signal)).trim();
    },
    async confirm(question) {
      return /^y(es)?$/i.test((await answerTo(lines, `${question} [y/N]: `, closed.signal)).trim());
    },
    close: () => lines.close(),
  };
}

async function answerTo(lines: Interface, question: string, signal: AbortSignal): Promise<string> {
  try {
    return await lines.question(question, { signal });
  } catch {
    remark('');
    throw new CommandFailure('setup was stopped, and nothing was written. Run it again to start over.');
  }
}
