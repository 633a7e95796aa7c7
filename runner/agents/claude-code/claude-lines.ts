/**
 * The JSON lines that `claude -p --input-format stream-json --output-format stream-json` reads and writes
 * (seen on 2.1.197).
 */
import { z } from 'zod';
import type { TurnFailure } from '../../delivery/model-refusal.rules.ts';

/** A message for the model. The uuid comes back with its echo. */
export const userLine = (uuid: string, text: string): string =>
  `${JSON.stringify({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    session_id: '',
    uuid,
  })}\n`;

/** Ends the turn under way. Claude Code answers it, and ends the turn with a result. */
export const interruptLine = (id: string): string =>
  `${JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'interrupt' } })}\n`;

const Content = z.array(z.looseObject({ type: z.string() }));

export const ClaudeLine = z.union([
  z.looseObject({ type: z.literal('user'), uuid: z.string().optional(), isReplay: z.boolean().optional() }),
  z.looseObject({
    type: z.literal('assistant'),
    message: z.looseObject({ model: z.string().optional(), content: Content }),
    /** Why the model did not answer, in a message of Claude Code itself. */
    error: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('result'),
    is_error: z.boolean().optional(),
    result: z.unknown().optional(),
    api_error_status: z.number().nullish(),
    subtype: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('system'),
    subtype: z.string().optional(),
    session_id: z.string().optional(),
  }),
]);
export type ClaudeLine = z.infer<typeof ClaudeLine>;

/** Returns the model's texts and actions, one line each, for the transcript. */
export function transcriptOf(content: z.infer<typeof Content>): string[] {
  return content.flatMap((block) => {
    if (block.type === 'text' && typeof block.text === 'string') return block.text.split('\n');
    if (block.type === 'tool_use' && typeof block.name === 'string') return [`→ ${block.name}`];
    return [];
  });
}

type Result = Extract<ClaudeLine, { type: 'result' }>;

/** Returns why a turn was not completed. `said`: what was heard of the model in it. */
export function failureOf(
  result: Result,
  said: 'nothing' | 'something' | { error: string | null },
): TurnFailure {
  const status = result.api_error_status ?? null;
  const message = typeof result.result === 'string' ? result.result : (result.subtype ?? 'no result');
  if (typeof said === 'object') return { status, kind: said.error, message };
  // A person or a hook ended the turn, not the model's service.
  return { status, kind: status === null ? 'interrupted' : null, message };
}
