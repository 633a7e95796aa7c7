/**
 * `GET /metrics` for a scraper that holds `SVC_METRICS_TOKEN` (specification/diagnostics.md#metrics). It is not an
 * operation of a member: its token can read nothing else, and no token of a member is accepted.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { commonHeaders } from './response-headers.ts';

const variable = 'SVC_METRICS_TOKEN';

export interface Metrics {
  token: string;
  read(): Promise<string>;
}

/** Returns null if there is none. @throws StartUpError for a token that could be guessed or not be sent. */
export function metricsToken(env: Readonly<Record<string, string | undefined>>): string | null {
  const token = env[variable];
  if (token === undefined || token === '') return null;
  if (/^[\x21-\x7e]{32,512}$/.test(token)) return token;
  throw new StartUpError(
    `${variable} must have 32 to 512 printable characters without spaces. Create one with "openssl rand -hex 32", or unset it to turn /metrics off.`,
  );
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Adds nothing without metrics, so that the path is unknown. */
export function addMetrics(app: FastifyInstance, metrics: Metrics | null): void {
  if (metrics === null) return;
  const expected = digest(`Bearer ${metrics.token}`);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) refuse('unauthenticated');
    return reply
      .headers({
        ...commonHeaders,
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      })
      .send(await metrics.read());
  };
  app.route({ method: ['GET', 'HEAD'], url: '/metrics', handler });
}
