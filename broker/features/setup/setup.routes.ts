import { setupKeyHeader } from '#protocol/vocabulary.ts';
import type { Handlers } from '../../http/route.ts';
import type { Setup } from './setup.service.ts';

export const setupRoutes = (setup: Setup): Handlers => ({
  setUp: ({ body, headers }) => {
    const key = headers[setupKeyHeader];
    return setup.setUp(body, typeof key === 'string' ? key : undefined);
  },
});
