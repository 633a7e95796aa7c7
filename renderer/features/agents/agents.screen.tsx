/** Agents: what each one does. The desktop app starts and stops those of this computer; a browser shows the command. */
import { Suspense } from 'react';
import { installableKinds } from '../../../runner/agents/agent-kinds.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { FleetSection } from './fleet.tsx';
import { RunMenu } from './run-menu.tsx';

const TokenChart = lazyScreen(() => import('./token-chart.tsx'), 'TokenChart');

export function AgentsScreen() {
  const { muster } = window;
  return (
    <Page title="Agents">
      <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
        {muster === undefined ? null : <RunMenu bridge={muster} />}
        <FleetSection />
        <Suspense fallback={null}>
          <TokenChart />
        </Suspense>
        {muster === undefined ? <ByCommand /> : null}
      </div>
    </Page>
  );
}

function ByCommand() {
  return (
    <Section title="Run an agent">
      <div className="flex flex-col gap-3 p-4">
        <p className="text-soft">
          An agent runs on the machine that has its files. On any machine that has joined the team, go to the
          folder in which the agent works, and run:
        </p>
        {installableKinds.map(({ id, name }) => (
          <CopyLine key={id} label={name} text={`muster run ${id} --as <member>`} />
        ))}
        <p className="text-sm text-soft">
          <code className="font-mono">--as</code> needs members.manage and creates a token for this run only.
          Without it, the agent uses the saved token of the device. In the desktop app on the broker’s
          machine, you can start agents from this screen and see those that are running.
        </p>
      </div>
    </Section>
  );
}
