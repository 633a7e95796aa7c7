/** HEAD is answered like GET without a body, and OPTIONS names the methods of a path (specification/api.md#methods). */
import type { FastifyInstance } from 'fastify';
import type { Operation } from '#protocol/operations.ts';
import { sendJson } from './send-json.ts';

/** Node leaves out the body of a reply to HEAD. A stream has no end at which that could be answered. */
export const methodsOf = ({ method, reply }: Operation): string[] =>
  method === 'GET' && reply !== 'stream' ? ['GET', 'HEAD'] : [method];

/** Adds OPTIONS to every path that gets a route afterwards. It needs no credential, because the contract is public. */
export function addOptions(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = [method].flat();
    if (methods.includes('OPTIONS')) return;
    const known = methodsByPath.get(url);
    if (known !== undefined) {
      for (const one of methods) known.add(one);
      return;
    }
    const allowed = new Set([...methods, 'OPTIONS']);
    methodsByPath.set(url, allowed);
    app.options(url, (_request, reply) => {
      reply.header('allow', [...allowed].sort().join(', '));
      sendJson(reply, 204, '');
    });
  });
}
