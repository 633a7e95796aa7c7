import type { IncomingHttpHeaders } from 'node:http';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { loginSource } from '../../http/login-source.ts';
import type { Handlers } from '../../http/route.ts';
import type { Setup } from './setup.service.ts';

function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers[setupKeyHeader];
  return typeof key === 'string' ? key : undefined;
}

export const setupRoutes = (setup: Setup): Handlers => ({
  setUp: async (call) => {
    const { reply, setCookies } = await setup.setUp(call.body, {
      key: keyOf(call.headers),
      from: loginSource(call),
    });
    if (setCookies.length > 0) call.reply.header('set-cookie', setCookies);
    return reply;
  },
  proposeAuthenticator: ({ body, headers }) => setup.proposeAuthenticator(body, keyOf(headers)),
});
