/** The turns of a transcript as a conversation, in which each result is part of its call. Pure. */
import type { ActivityTurn } from '#protocol/activity-summary.ts';
import { resultText, type ToolAnswer } from '../activity/tool-call.rules.ts';

type Block = ActivityTurn['got'][number];

/** `told`: a text for the agent, such as a message. `result`: of a call that is not among the turns. */
export type Part =
  | { kind: 'told' | 'said'; text: string }
  | { kind: 'call'; name: string; input: unknown; result: ToolAnswer | undefined }
  | ({ kind: 'result' } & ToolAnswer)
  | { kind: 'other'; block: Block };

export interface ShownTurn {
  turn: ActivityTurn;
  parts: Part[];
}

const answerOf = ({ content, isError }: Block): ToolAnswer => ({
  text: resultText(content),
  isError: isError === true,
});

type Call = Extract<Part, { kind: 'call' }>;

/**
 * `turns`: oldest first. A request that is repeated carries the same results again, which are shown once. Turns without a part of their own
 * are left out, except those that failed.
 */
export function conversationOf(turns: readonly ActivityTurn[]): ShownTurn[] {
  const callById = new Map<string, Call>();

  function partOf(block: Block, isSaid: boolean): Part[] {
    if (block.type === 'text')
      return typeof block.text === 'string' && block.text.trim() !== ''
        ? [{ kind: isSaid ? 'said' : 'told', text: block.text }]
        : [];
    if (block.type === 'tool_use') {
      const call: Call = { kind: 'call', name: String(block.name), input: block.input, result: undefined };
      if (typeof block.id === 'string') callById.set(block.id, call);
      return [call];
    }
    if (block.type !== 'tool_result') return [{ kind: 'other', block }];
    const call = callById.get(String(block.toolUseId));
    if (call === undefined) return [{ kind: 'result', ...answerOf(block) }];
    call.result ??= answerOf(block);
    return [];
  }

  return turns
    .map((turn) => ({
      turn,
      parts: [
        ...turn.got.flatMap((block) => partOf(block, false)),
        ...turn.said.flatMap((block) => partOf(block, true)),
      ],
    }))
    .filter(({ turn, parts }) => turn.isFailed || parts.length > 0);
}
