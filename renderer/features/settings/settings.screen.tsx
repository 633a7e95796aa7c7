/** The settings of the team and its machine: the team, the network, federation, storage, health, and retention. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { useMay } from '../../data/self.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AccessPart } from './access-part.tsx';
import { BackupPart } from './backup-part.tsx';
import { FederationPart } from './federation-part.tsx';
import { HealthPart } from './health-part.tsx';
import { KeyPart } from './key-part.tsx';
import { RetentionPart } from './retention-part.tsx';
import { type TeamPart as Part, shownParts } from './setting-parts.ts';
import { TeamPart } from './team-part.tsx';

export function SettingsScreen() {
  const { part = 'team' } = useSearch({ from: '/app/settings' });
  const navigate = useNavigate({ from: '/app/settings' });
  const maySeeMachine = useMay('diagnostics');
  const bridge = desktopBridge();
  const contents: Record<Part, ReactNode> = {
    team: <TeamPart />,
    access: <AccessPart />,
    federation: <FederationPart />,
    health: <HealthPart />,
    retention: <RetentionPart />,
    backups: bridge === null ? null : <BackupPart bridge={bridge} />,
    key: bridge === null ? null : <KeyPart bridge={bridge} />,
  };
  const tabs = shownParts(maySeeMachine, bridge !== null).map(({ value, label }) => ({
    value,
    label,
    content: contents[value],
  }));
  return (
    <Page title="Settings">
      <div className="mx-auto flex max-w-4xl flex-col p-4">
        <Tabs
          label="Settings"
          tabs={tabs}
          value={tabs.some(({ value }) => value === part) ? part : 'team'}
          onChange={(next) => void navigate({ search: { part: next }, replace: true })}
        />
      </div>
    </Page>
  );
}
