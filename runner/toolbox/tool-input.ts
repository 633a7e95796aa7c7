/** Tool inputs, and the texts about invalid ones (specification/runner.md#toolbox-rules). */
import { z } from 'zod';
import { inLine } from './plain-text.rules.ts';
import { ToolError } from './tool.ts';

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Models send `null` for an argument that they leave out, also for one that does not exist. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, given]) => given !== null));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

/**
 * Returns the parsed input; `null` counts as absent. @throws ToolError `<tool>: unknown argument '<name>'`,
 * `<tool>: <field> is required`, `<tool>: invalid status '<s>'`, or `<tool>: <field> <what is wrong>`.
 */
export function readInput<Input extends z.ZodObject>(
  tool: string,
  schema: Input,
  value: unknown,
): z.output<Input> {
  const given = isMissing(value) ? {} : withoutNulls(value);
  const read = schema.strict().safeParse(given);
  if (read.success) return read.data as z.output<Input>;
  const { issues } = read.error;
  const unknown = issues.find((one) => one.code === 'unrecognized_keys')?.keys[0];
  if (unknown !== undefined)
    throw new ToolError(`${tool}: unknown argument '${inLine(unknown).slice(0, 100)}'`);
  const [issue] = issues;
  const path = issue?.path ?? [];
  const field = path.join('.') || 'input';
  const found = valueAt(given, path);
  if (path.length === 1 && isMissing(found)) throw new ToolError(`${tool}: ${field} is required`);
  if (field === 'status') throw new ToolError(`${tool}: invalid status '${String(found)}'`);
  throw new ToolError(`${tool}: ${field}: ${issue?.message ?? 'is not valid'}`);
}

/** Adds a description only if the name does not say it, because each costs tokens in every request. */
const described = <Schema extends z.ZodType>(schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : schema.describe(description);

const besideArguments = new WeakSet<z.ZodType>();

/** An optional argument that the specification does not name: `--tools specified` leaves it out (ADR 0021). */
export function beside<Schema extends z.ZodType>(schema: Schema, description?: string) {
  const argument = optional(schema, description);
  besideArguments.add(argument);
  return argument;
}

/** The input without such arguments. */
export const specifiedInput = ({ shape }: z.ZodObject): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).filter(([, argument]) => !besideArguments.has(argument as z.ZodType)),
    ),
  );

/** Required text: empty counts as missing. */
export const required = (description?: string) =>
  described(
    z.string().refine((value) => value.trim() !== '', 'is required'),
    description,
  );

/** A channel's slug or a member's name; a model also writes `#general` and `@ada`. */
export const named = (description?: string) =>
  described(
    z
      .string()
      .refine((value) => value.trim() !== '', 'is required')
      .overwrite((value) => value.replace(/^[#@](?=.)/, '')),
    description,
  );

export const optional = <Schema extends z.ZodType>(schema: Schema, description?: string) =>
  described(schema.optional(), description);
