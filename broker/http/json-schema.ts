/** JSON Schemas from the table's zod schemas, for compiled reply serializers and the OpenAPI document. */
import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/**
 * `anyOf [X, null]` → `type: [x, 'null']` if X is a plain type: the serializer has a fast path for it, and it
 * is easier to read.
 */
function simplifyNullable(schema: JsonSchema): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return;
  const [value, none] = anyOf as JsonSchema[];
  if (
    none?.type !== 'null' ||
    typeof value?.type !== 'string' ||
    value.type === 'object' ||
    value.type === 'array'
  )
    return;
  delete schema.anyOf;
  Object.assign(schema, value, { type: [value.type, 'null'] });
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => simplifyNullable(jsonSchema as JsonSchema),
  });
  return json;
}
