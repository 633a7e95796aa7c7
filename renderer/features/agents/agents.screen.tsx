/** Agents: what each one does, and the activity of all. Each tab has an address of its own. */
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AllActivity } from '../activity/all-activity.tsx';
import { Fleet } from './fleet.tsx';
import { RunAgent } from './run-agent.tsx';

const tabs = [
  { value: '/app/agents', label: 'Fleet', content: <Fleet /> },
  { value: '/app/activity', label: 'All activity', content: <AllActivity /> },
] as const;

export function AgentsScreen() {
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath });
  const shown = tabs.find(({ value }) => value === path) ?? tabs[0];
  return (
    <Page title="Agents" actions={<RunAgent />}>
      <div className="flex h-full flex-col">
        <Tabs
          label="Agents"
          tabs={tabs}
          value={shown.value}
          onChange={(to) => void navigate({ to })}
          isPage
        />
      </div>
    </Page>
  );
}
