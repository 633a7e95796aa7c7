/** JSON Schemas as text for the pages of docs/guides/http-api, in the notation of types in TypeScript. */
type Json = Record<string, unknown>;

/** Shapes that are deeper are cut: the OpenAPI document has them. */
const maxDepth = 5;

const isNamed = (schema: Json): boolean => typeof schema.$ref === 'string';
const quoted = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

function resolved(schema: Json, definitions: Json): Json {
  if (!isNamed(schema)) return schema;
  return (definitions[String(schema.$ref).split('/').at(-1) ?? ''] ?? {}) as Json;
}

function plainType(type: unknown): string {
  if (Array.isArray(type)) return type.map(plainType).join(' | ');
  return type === 'integer' ? 'number' : typeof type === 'string' ? type : 'unknown';
}

function objectText(schema: Json, definitions: Json, indent: string, depth: number): string {
  const { properties, required, additionalProperties } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
    additionalProperties?: Json | boolean;
  };
  if (properties === undefined || Object.keys(properties).length === 0) {
    if (typeof additionalProperties !== 'object') return 'object';
    return `{ [key: string]: ${schemaText(additionalProperties, definitions, indent, depth + 1)} }`;
  }
  if (depth >= maxDepth) return '{ … }';
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, value]) =>
      `${inner}${name}${required?.includes(name) ? '' : '?'}: ${schemaText(value, definitions, inner, depth + 1)}`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Returns the shape of a schema. `definitions`: its `$defs`. */
export function schemaText(given: Json | boolean, definitions: Json, indent = '', depth = 0): string {
  if (typeof given === 'boolean') return given ? 'unknown' : 'never';
  const schema = resolved(given, definitions);
  const one = (part: Json | boolean) => schemaText(part, definitions, indent, depth + 1);
  if (depth > 2 * maxDepth) return '…';
  if (Array.isArray(schema.enum)) return schema.enum.map(quoted).join(' | ');
  if ('const' in schema) return quoted(schema.const);
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices !== undefined) return [...new Set(choices.map(one))].join(' | ');
  if (schema.type === 'object') return objectText(schema, definitions, indent, depth);
  if (schema.type === 'array') {
    const item = one((schema.items ?? {}) as Json | boolean);
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }
  return plainType(schema.type);
}

const boundNames: Record<string, (value: unknown) => string> = {
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  minimum: (value) => `from ${value}`,
  maximum: (value) => (value === Number.MAX_SAFE_INTEGER ? '' : `up to ${value}`),
  maxItems: (value) => `at most ${value} entries`,
};

/** Returns the type of a parameter on one line, with its bounds. */
export function parameterText(given: Json, definitions: Json): string {
  const schema = resolved(given, definitions);
  const bounds = Object.entries(boundNames)
    .filter(([name]) => name in schema)
    .map(([name, text]) => text(schema[name]))
    .filter((text) => text !== '');
  const type = schemaText(schema, definitions).replaceAll(/\s+/g, ' ');
  return [`\`${type.replaceAll('|', '\\|')}\``, ...bounds].join(', ');
}
