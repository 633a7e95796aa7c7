/** The root of all routes, and the part that needs a login. */
import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router';
import { lazyScreen } from './lazy-screen.ts';

export const root = createRootRoute({ component: Outlet });

export const app = createRoute({
  getParentRoute: () => root,
  path: '/app',
  component: lazyScreen(() => import('./shell/gate.tsx'), 'Gate'),
});
