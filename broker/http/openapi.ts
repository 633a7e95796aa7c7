/**
 * The OpenAPI document of the routed operations, derived from the contract table
 * (specification/api.md#health).
 */
import type { z } from 'zod';
import { ErrorReply } from '#protocol/error-reply.ts';
import { limits } from '#protocol/limits.ts';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { sessionCookie } from '#protocol/session.ts';
import { toJsonSchema } from './json-schema.ts';

type Json = Record<string, unknown>;

const securityByPlane: Record<Operation['plane'], Json[]> = {
  none: [],
  dual: [{ bearer: [] }, { session: [] }],
  bearer: [{ bearer: [] }],
  session: [{ session: [] }],
};

/**
 * Named schemas are listed once, under components. One name may differ between a request and a reply because
 * of defaults; then the request's schema gets a name of its own.
 */
function createSchemas() {
  const known = new Map<string, { source: string; schema: Json }>();
  function refer(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $defs, ...json } = toJsonSchema(schema, io);
    const definitions = Object.entries(($defs as Record<string, Json> | undefined) ?? {});
    const newNames = new Map(
      definitions.map(([name, definition]) => {
        const source = known.get(name)?.source ?? JSON.stringify(definition);
        return [name, source === JSON.stringify(definition) ? name : `${name}Request`];
      }),
    );
    for (const [name, definition] of definitions) {
      const source = JSON.stringify(definition);
      known.set(newNames.get(name) ?? name, { source, schema: pointToComponents(definition, newNames) });
    }
    return pointToComponents(json, newNames);
  }
  return { refer, all: () => Object.fromEntries([...known].map(([name, { schema }]) => [name, schema])) };
}

function pointToComponents(json: Json, newNames: ReadonlyMap<string, string>): Json {
  const text = JSON.stringify(json).replaceAll(
    /"#\/\$defs\/([^"]+)"/g,
    (_, name) => `"#/components/schemas/${newNames.get(name)}"`,
  );
  return JSON.parse(text);
}

/** The parameter name for a path's `*`. */
const restOfPath = 'path';

function parametersOf(operation: Operation, schemas: ReturnType<typeof createSchemas>): Json[] {
  return (['params', 'query'] as const).flatMap((part) => {
    const schema = operation[part];
    if (schema === undefined) return [];
    const json = schemas.refer(schema, 'input');
    const required = (json.required as string[] | undefined) ?? [];
    return Object.entries((json.properties as Json | undefined) ?? {}).map(([name, value]) => ({
      name: name === '*' ? restOfPath : name,
      in: part === 'params' ? 'path' : 'query',
      required: part === 'params' || required.includes(name),
      schema: value,
    }));
  });
}

function successOf({ reply, status, summary }: Operation, schemas: ReturnType<typeof createSchemas>): Json {
  if (reply === 'empty') return { [status]: { description: summary } };
  if (reply === 'stream')
    return {
      [status]: { description: 'A stream of server-sent events.', content: { 'text/event-stream': {} } },
    };
  if (reply === 'bytes') return { [status]: { description: 'The bytes.', content: { '*/*': {} } } };
  return {
    [status]: {
      description: summary,
      content: { 'application/json': { schema: schemas.refer(reply, 'output') } },
    },
  };
}

/** `version` is the product's. */
export function openApiDocument(routed: readonly OperationId[], version: string): Json {
  const paths: Record<string, Json> = {};
  const schemas = createSchemas();
  const error = schemas.refer(ErrorReply, 'output');
  // Replies come first: where the two differ, the plain name is the reply's.
  const successById = new Map(routed.map((id) => [id, successOf(operations[id], schemas)]));
  for (const id of routed) {
    const operation: Operation = operations[id];
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', `{${restOfPath}}`);
    const body =
      operation.rawBody === true
        ? { requestBody: { required: true, content: { '*/*': {} } } }
        : operation.body === undefined
          ? {}
          : {
              requestBody: {
                required: !operation.isBodyOptional,
                content: { 'application/json': { schema: schemas.refer(operation.body, 'input') } },
              },
            };
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: {
        operationId: id,
        summary: operation.summary,
        security: securityByPlane[operation.plane],
        ...(operation.rule.length > 0 && { 'x-any-of': operation.rule }),
        parameters: parametersOf(operation, schemas),
        ...body,
        responses: {
          ...successById.get(id),
          ...(operation.etag && {
            304: { description: 'If-None-Match names the ETag of the present answer.' },
          }),
          default: { $ref: '#/components/responses/Error' },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Muster', version, description: 'Every request may carry X-SVC-Protocol: 1.' },
    'x-protocol': limits.protocolVersion,
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_<base64url>' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description:
            'A bound session also needs its secret, as X-SVC-Session-Secret. Browsers also get the cookie as svc_session_<scheme>_<port>, which counts first.',
        },
      },
      responses: {
        Error: {
          description: 'Every reply with a status of 400 or more.',
          content: { 'application/json': { schema: error } },
        },
      },
    },
  };
}
