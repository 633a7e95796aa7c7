/** The shape of a row of the contract table. */

import type { z } from 'zod';
import type { Plane, Rule } from './access.ts';

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify's notation: `/members/:name`. */
  path: string;
  summary: string;
  plane: Plane;
  rule: Rule;
  /** Where `self` is read from, when the rule has it. `isOptional`: who names nobody asks about what is theirs to see. */
  self?: { in: 'params' | 'query' | 'body'; key: string; isOptional?: true };
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /**
   * The handler takes the body from the stream, and caps it. `true`: bytes of any content type. `'json'`: application/json that is
   * checked against `body` on another thread.
   */
  rawBody?: true | 'json';
  /** Body cap in bytes; limits.body.json unless set. */
  bodyLimit?: number;
  /** What a success answers: a JSON schema, or nothing, a live stream, or raw bytes. */
  reply: z.ZodType | 'empty' | 'stream' | 'bytes';
  status: 200 | 201 | 204;
  /** Answered before set-up too (D14). */
  beforeSetup?: true;
}
