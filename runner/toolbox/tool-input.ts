/** Tool inputs, and the texts about invalid ones (specification/runner.md#toolbox-rules). */
import { z } from 'zod';
import { ToolError } from './tool.ts';

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

/** @throws ToolError `<tool>: <field> is required`, `<tool>: invalid status '<s>'`, or `<tool>: <field> <what is wrong>`. */
export function readInput<Input extends z.ZodObject>(
  tool: string,
  schema: Input,
  value: unknown,
): z.output<Input> {
  const given = isMissing(value) ? {} : value;
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path ?? [];
  const field = path.join('.') || 'input';
  const found = valueAt(given, path);
  if (path.length === 1 && isMissing(found)) throw new ToolError(`${tool}: ${field} is required`);
  if (field === 'status') throw new ToolError(`${tool}: invalid status '${String(found)}'`);
  throw new ToolError(`${tool}: ${field}: ${issue?.message ?? 'is not valid'}`);
}

/** Required text: empty counts as missing. */
export const required = (description: string) =>
  z
    .string()
    .refine((value) => value.trim() !== '', 'is required')
    .describe(description);

/** Optional values: `null` counts as absent, because models send it. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .describe(description);
