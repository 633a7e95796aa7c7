/** The routes of the console below the login. */
import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { app } from './app-route.ts';
import { lazyScreen } from './lazy-screen.ts';

const flag = z.boolean().optional().catch(undefined);

const word = z.string().optional().catch(undefined);

export const screens = [
  createRoute({
    getParentRoute: () => app,
    path: '/',
    component: lazyScreen(() => import('./features/home/home.screen.tsx'), 'HomeScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/conversations/$scope',
    validateSearch: z.object({ message: word, search: word }),
    component: lazyScreen(
      () => import('./features/conversations/conversations.screen.tsx'),
      'ConversationsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/objectives',
    validateSearch: z.object({
      view: z.enum(['list', 'board']).optional().catch(undefined),
      status: z.enum(['active', 'blocked', 'done', 'cancelled', 'open']).optional().catch(undefined),
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
    validateSearch: z.object({ q: word, create: flag }),
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
    validateSearch: z.object({ code: word }),
    component: lazyScreen(() => import('./features/devices/devices.screen.tsx'), 'DevicesScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/approve',
    validateSearch: z.object({ code: word }),
    component: lazyScreen(() => import('./features/devices/approval.screen.tsx'), 'ApprovalScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/channels',
    validateSearch: z.object({ q: word, create: flag, channel: word }),
    component: lazyScreen(() => import('./features/channels/channels.screen.tsx'), 'ChannelsScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/files',
    validateSearch: z.object({ path: word, file: word, shared: flag }),
    component: lazyScreen(() => import('./features/files/files.screen.tsx'), 'FilesScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/activity',
    validateSearch: z.object({
      member: word,
      kind: word,
      objective: word,
      from: z.number().optional().catch(undefined),
      to: z.number().optional().catch(undefined),
      row: z.number().optional().catch(undefined),
    }),
    component: lazyScreen(() => import('./features/activity/activity.screen.tsx'), 'ActivityScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/agents',
    validateSearch: z.object({ run: word }),
    component: lazyScreen(() => import('./features/agents/agents.screen.tsx'), 'AgentsScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/audit',
    validateSearch: z.object({ kind: word, member: word, since: z.number().optional().catch(undefined) }),
    component: lazyScreen(() => import('./features/audit/audit.screen.tsx'), 'AuditScreen'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/settings',
    validateSearch: z.object({ part: word }),
    component: lazyScreen(() => import('./features/settings/settings.screen.tsx'), 'SettingsScreen'),
  }),
] as const;
