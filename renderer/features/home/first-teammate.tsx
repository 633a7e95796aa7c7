/** How a team of one person gets its first teammate or agent. */
import { Link } from '@tanstack/react-router';
import { agentKinds } from '../../../runner/agents/agent-kinds.ts';
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/page.tsx';
import { JoinPanel } from '../devices/join-panel.tsx';

export function FirstTeammate() {
  return (
    <Section title="Add your team">
      <div className="flex flex-col gap-4 px-4 py-4">
        <FirstAgent />
        <JoinPanel />
      </div>
    </Section>
  );
}

function FirstAgent() {
  if (desktopBridge() !== null)
    return (
      <p className="text-soft">
        <Link to="/app/agents" className="text-accent underline underline-offset-2">
          Run an agent on this computer
        </Link>{' '}
        as a member of the team, or let people and agents on other machines join.
      </p>
    );
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        To start an agent as a member of the team, run this on a machine that has joined:
      </p>
      <CopyLine label="Run command" text={`muster run ${agentKinds[0].id} --as <member>`} />
    </div>
  );
}
