/** The Dockerfile as tests read it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../testing/build-once.ts';

export interface Instruction {
  name: string;
  rest: string;
}

export function readInstructions(): Instruction[] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return { name, rest };
    });
}

/** The instructions of the image itself, which follow the last FROM. */
export function lastStage(): Instruction[] {
  const all = readInstructions();
  return all.slice(all.findLastIndex(({ name }) => name === 'FROM'));
}

export const restOf = (stage: readonly Instruction[], wanted: string): string[] =>
  stage.flatMap(({ name, rest }) => (name === wanted ? [rest] : []));

/** The words of an instruction that is written as a list. @throws SyntaxError if it is written for a shell. */
export const wordsOf = (rest: string): string[] => JSON.parse(rest) as string[];

export const environmentOf = (stage: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    restOf(stage, 'ENV')
      .flatMap((rest) => rest.split(' '))
      .map((pair) => pair.split('=') as [string, string]),
  );
