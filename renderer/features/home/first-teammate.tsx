/** How a team of one person gets its first teammate or agent. */
import { agentKinds } from '../../../runner/agents/agent-kinds.ts';
import { useBroker } from '../../data/broker.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/page.tsx';

export function FirstTeammate() {
  const { origin } = useBroker().transport;
  return (
    <Section title="Add your team">
      <div className="flex flex-col gap-3 px-4 py-4">
        <p className="text-soft">
          To join from another machine, a teammate or an agent runs this command and gets a code, which you
          approve under Devices:
        </p>
        <CopyLine label="Join command" text={`npx svc connect --url ${origin}`} />
        <p className="text-soft">To start an agent on this machine as a member of the team, run:</p>
        <CopyLine label="Run command" text={`npx svc run ${agentKinds[0].id} --as <member>`} />
      </div>
    </Section>
  );
}
