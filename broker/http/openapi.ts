/** The OpenAPI document of the routed operations, derived from the contract table (D19). */
import { ErrorReply } from '#protocol/error-reply.ts';
import { limits } from '#protocol/limits.ts';
import { type Operation, type OperationId, operations } from '#protocol/operations.ts';
import { toJsonSchema } from './json-schema.ts';

type Json = Record<string, unknown>;

const securityByPlane: Record<Operation['plane'], Json[]> = {
  none: [],
  dual: [{ bearer: [] }, { session: [] }],
  bearer: [{ bearer: [] }],
  session: [{ session: [] }],
};

function parametersOf(operation: Operation): Json[] {
  return (['params', 'query'] as const).flatMap((part) => {
    const schema = operation[part];
    if (schema === undefined) return [];
    const json = toJsonSchema(schema, 'input');
    const required = (json.required as string[] | undefined) ?? [];
    return Object.entries((json.properties as Json | undefined) ?? {}).map(([name, value]) => ({
      name,
      in: part === 'params' ? 'path' : 'query',
      required: part === 'params' || required.includes(name),
      schema: value,
    }));
  });
}

function successOf({ reply, status, summary }: Operation): Json {
  if (reply === 'empty') return { [status]: { description: summary } };
  if (reply === 'stream')
    return {
      [status]: { description: 'A stream of server-sent events.', content: { 'text/event-stream': {} } },
    };
  if (reply === 'bytes') return { [status]: { description: 'The bytes.', content: { '*/*': {} } } };
  return {
    [status]: {
      description: summary,
      content: { 'application/json': { schema: toJsonSchema(reply, 'output') } },
    },
  };
}

/** `version` is the product's. Each schema stands whole in its place, so that a reader need not follow references across operations. */
export function openApiDocument(routed: readonly OperationId[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const id of routed) {
    const operation: Operation = operations[id];
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    const body =
      operation.body === undefined
        ? {}
        : {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: toJsonSchema(operation.body, 'input') } },
            },
          };
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: {
        operationId: id,
        summary: operation.summary,
        security: securityByPlane[operation.plane],
        ...(operation.rule.length > 0 && { 'x-any-of': operation.rule }),
        parameters: parametersOf(operation),
        ...body,
        responses: { ...successOf(operation), default: { $ref: '#/components/responses/Error' } },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Muster', version, description: 'Every request may carry X-SVC-Protocol: 1.' },
    'x-protocol': limits.protocolVersion,
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_<base64url>' },
        session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
      },
      responses: {
        Error: {
          description: 'Every reply that is not 2xx.',
          content: { 'application/json': { schema: toJsonSchema(ErrorReply, 'output') } },
        },
      },
    },
  };
}
