/** The check of a request before its handler is called: the row's schemas, and its rule of access. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { isAllowed, isDecidedByCaller } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import type { Operation } from '#protocol/operations.ts';
import type { Actor } from '../runtime/actor.ts';
import { JsonBody } from './json-body.ts';

export interface Parts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Returns the parts of the request as the row's schemas have them. @throws BrokerError. */
export function partsOf(
  { params, query, body, rawBody, isBodyOptional }: Operation,
  request: FastifyRequest,
): Parts {
  return {
    params: parse(params, request.params, 'path'),
    query: parse(query, request.query, 'query'),
    body: rawBody ? undefined : parse(body, takeBody(request) ?? (isBodyOptional && {}), 'body'),
  };
}

/**
 * A failed schema is one sentence about the first place, with the whole issue list as details
 * (specification/api.md#errors).
 */
function parse(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const place = [part, ...(first?.path ?? [])].join('.');
  return refuse(
    'invalid_request',
    { place, issue: first?.message ?? 'does not fit its schema' },
    { details: result.error.issues },
  );
}

/** Returns the JSON value of the body, which the request then no longer holds. @throws BrokerError bad_request. */
function takeBody(request: FastifyRequest): unknown {
  const { body } = request;
  request.body = undefined;
  return body instanceof JsonBody ? body.value() : body;
}

/** @throws BrokerError forbidden unless the row's rule admits the caller. */
export function admitCaller(operation: Operation, actor: Actor, parts: Parts): void {
  if (operation.makesCredential && actor.isRun) refuse('run_makes_no_credentials');
  if (!isDecidedByCaller(operation.rule)) return;
  const { self } = operation;
  const named = self === undefined ? undefined : (parts[self.in] as Record<string, unknown>)[self.key];
  const target = named === undefined && self?.isOptional ? actor.name : named;
  if (isAllowed(operation.rule, actor.permissions, target === actor.name ? ['self'] : [])) return;
  const needs = operation.rule
    .map((need) => (need === 'self' ? 'being that member yourself' : need))
    .join(' or ');
  refuse('missing_right', { needs });
}
