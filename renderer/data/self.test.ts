import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SessionReply } from '#protocol/session.ts';
import { keys } from './keys.ts';
import { SelfProvider, useMay, useSelf } from './self.tsx';

const ada = SessionReply.parse({
  member: 'ada',
  role: { title: 'Operator', description: '' },
  permissions: ['members.manage'],
  expiresAt: null,
});

function Screen(): string {
  return `${useSelf().member} ${useMay('pendingEnrollments') ? 'approves' : 'waits'}`;
}

it('knows who is logged in while the session query is reset', async () => {
  const cache = new QueryClient();
  cache.setQueryData(keys.session, ada);
  await cache.resetQueries();
  expect(cache.getQueryData(keys.session)).toBeUndefined();
  const screen = createElement(SelfProvider, { self: ada }, createElement(Screen));
  expect(renderToString(createElement(QueryClientProvider, { client: cache }, screen))).toBe('ada approves');
});
