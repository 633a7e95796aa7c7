import { expect, it } from 'vitest';
import type { ActivityTurn } from '#protocol/activity-summary.ts';
import { conversationOf } from './conversation.rules.ts';

let id = 0;
const turn = (got: object[], said: object[], isFailed = false) =>
  ({ id: ++id, got, said, isFailed }) as unknown as ActivityTurn;
const text = (words: string) => ({ type: 'text', text: words });
const call = (name: string) => ({ type: 'tool_use', id: name, name, input: { command: name } });
const result = (name: string, words: string, isError: boolean | null = null) => ({
  ...{ type: 'tool_result', toolUseId: name, isError, content: [text(words)] },
});
const partsOf = (...turns: ActivityTurn[]) => conversationOf(turns).map(({ parts }) => parts);
const shown = (name: string, answer?: object) => ({
  ...{ kind: 'call', name, input: { command: name }, result: answer },
});

it('shows each result with its call, also from a later turn, and once if a request is repeated', () => {
  const answers = [result('ls', 'a.ts'), result('npm test', 'exit 1', true)];
  expect(
    partsOf(
      turn([text('Fix it')], [text('I look'), call('ls'), call('npm test')]),
      turn(answers, [], true),
      turn(answers, [text('Done')]),
    ),
  ).toEqual([
    [
      { kind: 'told', text: 'Fix it' },
      { kind: 'said', text: 'I look' },
      shown('ls', { text: 'a.ts', isError: false }),
      shown('npm test', { text: 'exit 1', isError: true }),
    ],
    [],
    [{ kind: 'said', text: 'Done' }],
  ]);
});

it('shows a result without its call by itself, and leaves out turns that add nothing', () => {
  const thinking = { type: 'thinking', thinking: 'Hm' };
  expect(
    partsOf(
      turn([result('gone', 'ok')], [text(' ')]),
      turn([], [text('')]),
      turn([], [thinking, call('ls')]),
    ),
  ).toEqual([
    [{ kind: 'result', text: 'ok', isError: false }],
    [{ kind: 'other', block: thinking }, shown('ls')],
  ]);
});
