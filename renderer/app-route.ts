/** The root of all routes, and the part that needs a login. */
import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from '@tanstack/react-router';

export const root = createRootRoute({
  component: Outlet,
  notFoundComponent: lazyRouteComponent(() => import('./shell/not-found.tsx'), 'NotFound'),
});

export const app = createRoute({
  getParentRoute: () => root,
  path: '/app',
  component: lazyRouteComponent(() => import('./shell/gate.tsx'), 'Gate'),
});
