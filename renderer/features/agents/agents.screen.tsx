/** Agents: who works now. Starting one from here is the desktop app's; a browser says how it is done by command. */
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useRoster } from '../../data/queries.ts';
import { Avatar, PresenceMark, presenceState } from '../../ui/avatar.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';

export function AgentsScreen() {
  const { data, error, refetch } = useRoster();
  const working = (data?.connected ?? []).filter((presence) => presenceState(presence) !== 'away');
  return (
    <Page title="Agents">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 p-4">
        <Section title="Connected now">
          {error !== null && data === undefined ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : null}
          {data === undefined && error === null ? <ListSkeleton rows={3} /> : null}
          {data !== undefined && working.length === 0 ? (
            <EmptyState icon={<Bot />} title="Nobody is connected" />
          ) : null}
          <ul>
            {working.map((presence) => (
              <li
                key={presence.name}
                className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0"
              >
                <Avatar name={presence.name} />
                <span className="flex-1 font-medium">{presence.name}</span>
                <PresenceMark presence={presence} />
                <Link
                  to="/app/activity"
                  search={{ member: presence.name }}
                  className="text-sm text-accent underline underline-offset-2"
                >
                  Activity
                </Link>
              </li>
            ))}
          </ul>
        </Section>
        <Section title="Run an agent">
          <div className="flex flex-col gap-3 p-4">
            <p className="text-soft">
              An agent runs where its files are. In the folder it is to work in, on any machine that has
              joined the team:
            </p>
            <CopyLine label="Claude Code" text="npx svc run claude-code --as <member>" />
            <CopyLine label="Codex" text="npx svc run codex --as <member>" />
            <p className="text-sm text-soft">
              <code className="font-mono">--as</code> needs members.manage and makes a token for the run
              alone; without it the saved token of this device is used. In the desktop app the run menu does
              the same, and shows what runs.
            </p>
          </div>
        </Section>
      </div>
    </Page>
  );
}
