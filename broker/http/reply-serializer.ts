/** Turns replies into JSON text. A field that their schema does not name is never in it. */
import type { z } from 'zod';
import { toJsonSchema } from './json-schema.ts';

export type ReplySerializer = (answer: unknown) => string;

/**
 * Compiles the serializer of one reply. The compiler is loaded with the first one: a broker that nobody asks
 * yet starts without it (ADR 0013).
 */
export async function compileReply(schema: z.ZodType): Promise<ReplySerializer> {
  const { default: compile } = await import('fast-json-stringify');
  return compile(toJsonSchema(schema, 'output'));
}
