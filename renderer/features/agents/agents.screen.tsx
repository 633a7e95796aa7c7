/** Agents: what each one does. The desktop app starts and stops those of this computer; a browser shows the command. */
import { Page } from '../../ui/page.tsx';
import { Fleet } from './fleet.tsx';
import { RunAgent } from './run-agent.tsx';

export function AgentsScreen() {
  return (
    <Page title="Agents" actions={<RunAgent />}>
      <Fleet />
    </Page>
  );
}
