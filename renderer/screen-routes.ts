/** The routes of the console below the login. */
import { createRoute } from '@tanstack/react-router';
import { objectiveStatuses } from '#protocol/vocabulary.ts';
import { app } from './app-route.ts';
import { lazyScreen } from './lazy-screen.ts';
import { flag, number, oneOf, searchParams, word } from './search-params.ts';

export const screens = [
  createRoute({
    getParentRoute: () => app,
    path: '/',
    component: lazyScreen(() => import('./features/home/home.screen.tsx'), 'HomeScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/conversations/$scope',
    validateSearch: searchParams({ message: word, search: word }),
    component: lazyScreen(
      () => import('./features/conversations/conversations.screen.tsx'),
      'ConversationsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/objectives',
    validateSearch: searchParams({
      view: oneOf('list', 'board'),
      status: oneOf('open', ...objectiveStatuses),
      assignee: word,
      q: word,
      peek: word,
      create: flag,
    }),
    component: lazyScreen(() => import('./features/objectives/objectives.screen.tsx'), 'ObjectivesScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/objectives/$id',
    // Text that was typed for one objective must not stay for the next one.
    remountDeps: ({ params }) => params.id,
    component: lazyScreen(() => import('./features/objectives/objective.screen.tsx'), 'ObjectiveScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/members',
    validateSearch: searchParams({ q: word, create: flag }),
    component: lazyScreen(() => import('./features/members/members.screen.tsx'), 'MembersScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/members/$name',
    remountDeps: ({ params }) => params.name,
    component: lazyScreen(() => import('./features/members/member.screen.tsx'), 'MemberScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/devices',
    validateSearch: searchParams({ code: word }),
    component: lazyScreen(() => import('./features/devices/devices.screen.tsx'), 'DevicesScreen'),
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
    validateSearch: searchParams({ q: word, create: flag, channel: word }),
    component: lazyScreen(() => import('./features/channels/channels.screen.tsx'), 'ChannelsScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/files',
    validateSearch: searchParams({ path: word, file: word, shared: flag }),
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
      row: number,
    }),
    component: lazyScreen(() => import('./features/activity/activity.screen.tsx'), 'ActivityScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/agents',
    validateSearch: searchParams({ run: word }),
    component: lazyScreen(() => import('./features/agents/agents.screen.tsx'), 'AgentsScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/audit',
    validateSearch: searchParams({ kind: word, member: word, since: number }),
    component: lazyScreen(() => import('./features/audit/audit.screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/settings',
    validateSearch: searchParams({ part: word }),
    component: lazyScreen(() => import('./features/settings/settings.screen.tsx'), 'SettingsScreen'),
  }),
] as const;
