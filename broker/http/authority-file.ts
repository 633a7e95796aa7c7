/**
 * `GET /ca.crt`: the certificate of the team's own authority, for browsers and systems to trust. It is public
 * by nature (specification/api.md#pages).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '#protocol/errors.ts';
import { commonHeaders } from './response-headers.ts';

/** `authority` is PEM; null while HTTPS is off, or with certificates that the broker did not create. */
export function addAuthorityFile(app: FastifyInstance, authority: () => string | null): void {
  const handler = (_request: FastifyRequest, reply: FastifyReply) => {
    const pem = authority();
    if (pem === null) refuse('no_own_authority');
    return reply
      .headers({
        ...commonHeaders,
        'content-type': 'application/x-x509-ca-cert',
        'content-disposition': 'attachment; filename="muster-ca.crt"',
        'cache-control': 'no-cache',
      })
      .send(pem);
  };
  app.route({ method: ['GET', 'HEAD'], url: '/ca.crt', handler });
}
