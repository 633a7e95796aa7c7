/** JSON Schemas from the table's zod schemas: for compiled reply serializers and for the OpenAPI document. */
import { z } from 'zod';
import type { Operation } from '#protocol/operations.ts';

type JsonSchema = Record<string, unknown>;

/** `anyOf [X, null]` → `type: [x, 'null']` where X is a plain type: the serializer has a fast path for it, and readers an easier time. */
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

/** Fastify compiles it; what the schema does not name is never sent, so private fields cannot leave by accident. */
export function replySchema({ reply, status }: Operation): Record<number, JsonSchema> {
  return typeof reply === 'string' ? {} : { [status]: toJsonSchema(reply, 'output') };
}
