/** The logged-in member in this browser: the account, the appearance, and the notifications. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AboutPart } from './about-part.tsx';
import { NotificationsPart } from './notifications-part.tsx';
import { isOwnPart, type OwnPart, ownParts } from './setting-parts.ts';

const contents: Record<OwnPart, ReactNode> = { about: <AboutPart />, notifications: <NotificationsPart /> };

export function MeScreen() {
  const { part = 'about' } = useSearch({ from: '/app/me' });
  const navigate = useNavigate({ from: '/app/me' });
  return (
    <Page title="Me">
      <div className="mx-auto flex max-w-4xl flex-col py-4 sm:px-4">
        <Tabs
          label="Me"
          tabs={ownParts.map(({ value, label }) => ({ value, label, content: contents[value] }))}
          value={isOwnPart(part) ? part : 'about'}
          onChange={(next) => void navigate({ search: { part: next }, replace: true })}
        />
      </div>
    </Page>
  );
}
