/** The routes of the console below the login. */
import { createRoute, redirect } from '@tanstack/react-router';
import { app } from './app-route.ts';
import { readObjectiveView } from './data/objective-view.rules.ts';
import { columns } from './features/files/entry-order.rules.ts';
import { lazyScreen } from './lazy-screen.ts';
import { flag, number, oneOf, searchParams, word } from './search-params.rules.ts';

/** A dialog over the objectives. */
const readLayer = searchParams({ peek: word, create: flag });
const partSearch = searchParams({ part: word });
const channelSearch = searchParams({ q: word, create: flag, channel: word });

/** One screen with two tabs, each of which has an address. */
const agents = lazyScreen(() => import('./features/agents/agents.screen.tsx'), 'AgentsScreen');

const admin = createRoute({
  getParentRoute: () => app,
  path: '/admin',
  component: lazyScreen(() => import('./features/admin/admin.screen.tsx'), 'AdminScreen'),
});
const adminScreens = [
  createRoute({
    getParentRoute: () => admin,
    path: '/',
    component: lazyScreen(() => import('./features/admin/admin.screen.tsx'), 'AdminIndex'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/people',
    validateSearch: searchParams({ q: word, member: word, create: flag }),
    component: lazyScreen(() => import('./features/members/people.screen.tsx'), 'PeopleScreen'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/machines',
    validateSearch: searchParams({ code: word, approve: word }),
    component: lazyScreen(() => import('./features/devices/machines.screen.tsx'), 'MachinesScreen'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/audit',
    validateSearch: searchParams({ kind: word, member: word, since: number }),
    component: lazyScreen(() => import('./features/audit/audit.screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/backup',
    component: lazyScreen(() => import('./features/admin/operator.screen.ts'), 'BackupScreen'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/network',
    component: lazyScreen(() => import('./features/admin/operator.screen.ts'), 'NetworkScreen'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/health',
    component: lazyScreen(() => import('./features/admin/operator.screen.ts'), 'HealthScreen'),
  }),
  createRoute({
    getParentRoute: () => admin,
    path: '/team',
    component: lazyScreen(() => import('./features/admin/team.screen.tsx'), 'TeamScreen'),
  }),
] as const;

export const screens = [
  createRoute({
    getParentRoute: () => app,
    path: '/',
    validateSearch: searchParams({ item: word, message: word, file: word, make: word }),
    component: lazyScreen(() => import('./features/inbox/inbox.screen.tsx'), 'InboxScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/conversations/$scope',
    validateSearch: searchParams({
      message: word,
      search: word,
      file: word,
      make: word,
      browse: flag,
      q: word,
      create: flag,
      channel: word,
    }),
    component: lazyScreen(
      () => import('./features/conversations/conversations.screen.tsx'),
      'ConversationsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/objectives',
    validateSearch: (raw: Record<string, unknown>) => ({ ...readObjectiveView(raw), ...readLayer(raw) }),
    component: lazyScreen(() => import('./features/objectives/objectives.screen.tsx'), 'ObjectivesScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/objectives/$id',
    validateSearch: searchParams({ file: word, make: word }),
    // Text that was typed for one objective must not stay for the next one.
    remountDeps: ({ params }) => params.id,
    component: lazyScreen(() => import('./features/objectives/objective.screen.tsx'), 'ObjectiveScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/members/$name',
    beforeLoad({ params: { name } }) {
      throw redirect({ to: '/app/admin/people', search: { member: name }, replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/approve',
    validateSearch: searchParams({ code: word }),
    component: lazyScreen(() => import('./features/devices/approval.screen.tsx'), 'ApprovalScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/channels',
    validateSearch: channelSearch,
    // The addresses of a former screen, which people and messages may still hold.
    beforeLoad({ search }) {
      const { q, create, channel } = search;
      const isBrowsing = create !== true && channel === undefined;
      throw redirect({
        to: '/app/conversations/$scope',
        params: { scope: 'general' },
        search: isBrowsing ? { browse: true, q } : { create, channel },
        replace: true,
      });
    },
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/files',
    validateSearch: searchParams({
      path: word,
      file: word,
      shared: flag,
      by: oneOf(...columns),
      down: flag,
    }),
    component: lazyScreen(() => import('./features/files/files.screen.tsx'), 'FilesScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/activity',
    validateSearch: searchParams({
      member: word,
      kind: word,
      objective: word,
      from: number,
      to: number,
      failed: flag,
      row: number,
      of: word,
    }),
    component: agents,
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/agents',
    validateSearch: searchParams({ run: word, agent: word }),
    component: agents,
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/me',
    validateSearch: partSearch,
    component: lazyScreen(() => import('./features/settings/me.screen.tsx'), 'MeScreen'),
  }),
  admin.addChildren(adminScreens),
  ...['members', 'devices', 'audit', 'settings', 'you'].map((path) =>
    createRoute({
      getParentRoute: () => app,
      path,
      async beforeLoad({ location }) {
        const { adminAddressOf } = await import('./moved.rules.ts');
        throw redirect({ href: adminAddressOf(location), replace: true });
      },
    }),
  ),
] as const;
