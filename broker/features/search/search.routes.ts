import type { Handlers } from '../../http/route.ts';
import type { Search } from './search.service.ts';

export const searchRoutes = (search: Search): Handlers => ({
  search: ({ actor, query }) => search.search(actor.name, query),
});
