/**
 * Every route of the console; all of them are under `/app`. Screens are loaded when they are first opened.
 */
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { app, root } from './app-route.ts';
import { lazyScreen } from './lazy-screen.ts';
import { screens } from './screen-routes.ts';
import { searchParams, word } from './search-params.rules.ts';
import { ScreenError } from './shell/screen-error.tsx';

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/app' });
  },
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyScreen(() => import('./features/setup/setup.screen.tsx'), 'SetupScreen'),
});

const enroll = createRoute({
  getParentRoute: () => root,
  path: '/enroll',
  validateSearch: searchParams({ code: word }),
  component: lazyScreen(() => import('./features/devices/enroll.screen.tsx'), 'EnrollScreen'),
});

/** Outside of the login, because a browser that does not trust the certificate yet opens it first. */
const trust = createRoute({
  getParentRoute: () => root,
  path: '/app/trust',
  component: lazyScreen(() => import('./features/settings/trust.screen.tsx'), 'TrustScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([index, setup, enroll, trust, app.addChildren(screens)]),
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  defaultNotFoundComponent: lazyScreen(() => import('./shell/not-found.tsx'), 'NotFound'),
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
