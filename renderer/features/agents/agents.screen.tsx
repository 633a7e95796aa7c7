/** Agents: who is working now. The desktop app starts and stops agents; a browser shows the command. */
import { installableKinds } from '../../../runner/agents/agent-kinds.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ConnectedNow } from './connected-now.tsx';
import { RunMenu } from './run-menu.tsx';

export function AgentsScreen() {
  const { muster } = window;
  return (
    <Page title="Agents">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 p-4">
        {muster === undefined ? null : <RunMenu bridge={muster} />}
        <ConnectedNow />
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
          An agent runs where its files are. In the folder it is to work in, on any machine that has joined
          the team:
        </p>
        {installableKinds.map(({ id, name }) => (
          <CopyLine key={id} label={name} text={`npx svc run ${id} --as <member>`} />
        ))}
        <p className="text-sm text-soft">
          <code className="font-mono">--as</code> needs members.manage and makes a token for the run alone;
          without it the saved token of this device is used. The desktop app on the broker’s own machine does
          the same from this screen, and shows what runs: <code className="font-mono">npm start</code> opens
          it.
        </p>
      </div>
    </Section>
  );
}
