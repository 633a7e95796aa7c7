/** The shape of a row of the contract table. */

import type { z } from 'zod';
import type { Plane, Rule } from './access.ts';

/** A database of the broker. */
export type StoreName = 'main' | 'activity';

export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify's notation: `/members/:name`. */
  path: string;
  summary: string;
  plane: Plane;
  rule: Rule;
  /** It makes a credential, which the token of a run never may: it would outlive the run. */
  makesCredential?: true;
  /**
   * Each success adds a record to the audit log, as often as the caller likes. Without `members.manage`, the caller
   * may do it and its like only `limits.ownChanges.perMember` times in a window.
   */
  leavesRecord?: true;
  /**
   * The store that keeps the data from the caller. The data counts against the bytes of its member, and is refused
   * while the disk is nearly full.
   */
  growsStore?: StoreName;
  /**
   * The place from which `self` is read, if the rule has it. `isOptional`: a caller who names nobody asks about what it
   * may see.
   */
  self?: { in: 'params' | 'query' | 'body'; key: string; isOptional?: true };
  /** Its answer may wait for somebody else, so that it takes no turn of its caller's. */
  waits?: true;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** A request without a body counts as one with an empty object. */
  isBodyOptional?: true;
  /**
   * The handler reads the body from the stream and limits it. `true`: bytes of any content type. `'json'`:
   * application/json that is checked against `body` on another thread.
   */
  rawBody?: true | 'json';
  /** The limit of the body in bytes; limits.body.json by default. */
  bodyLimit?: number;
  /** The body of a successful reply: a JSON schema, nothing, a live stream, or raw bytes. */
  reply: z.ZodType | 'empty' | 'stream' | 'bytes';
  status: 200 | 201 | 204;
  /** The reply is JSON text with an ETag, and a client that has it is answered 304 (specification/api.md#tags). */
  etag?: true;
  /** Also answered before the setup (specification/team.md#setup). */
  beforeSetup?: true;
  /** Also answered while another broker may be the active one (specification/standby.md#fence). */
  isUnfenced?: true;
}
