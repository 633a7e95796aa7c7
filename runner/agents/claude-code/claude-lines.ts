/**
 * The JSON lines that `claude -p --input-format stream-json --output-format stream-json` reads and writes
 * (seen on 2.1.197).
 */
import { z } from 'zod';

/** A message for the model. The uuid comes back with its echo. */
export const userLine = (uuid: string, text: string): string =>
  `${JSON.stringify({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    session_id: '',
    uuid,
  })}\n`;

const Content = z.array(z.looseObject({ type: z.string() }));

export const ClaudeLine = z.union([
  z.looseObject({ type: z.literal('user'), uuid: z.string().optional(), isReplay: z.boolean().optional() }),
  z.looseObject({ type: z.literal('assistant'), message: z.looseObject({ content: Content }) }),
  z.looseObject({
    type: z.literal('result'),
    is_error: z.boolean().optional(),
    result: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('system'), subtype: z.string().optional() }),
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
