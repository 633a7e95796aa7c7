/** The first steps of a new team. Each step ticks itself, and the list goes when the member closes it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck, X } from 'lucide-react';
import { type ReactNode, use, useEffect } from 'react';
import { joinWay } from '#protocol/join.ts';
import { agentKinds } from '../../../runner/agents/agent-kinds.ts';
import { useBroker } from '../../data/broker.tsx';
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { keepText, keptText } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useSelf } from '../../data/self.tsx';
import { IconButton, linkClass } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { KindsContext } from '../../ui/kind.tsx';
import { Section } from '../../ui/page.tsx';
import { JoinPanel } from '../devices/join-panel.tsx';
import { useMembers } from '../members/use-members.ts';

interface Step {
  title: string;
  /** Undefined until it is known. */
  isDone: boolean | undefined;
  help: ReactNode;
}

function useSteps(): Step[] {
  const { client, transport } = useBroker();
  const self = useSelf().member;
  const members = useMembers().data?.members;
  const kinds = use(KindsContext);
  const { data: hosts } = useQuery({
    queryKey: keys.diagnostics,
    queryFn: () => client.call('diagnostics', {}),
    staleTime: 0,
  });
  const { data: first } = useQuery({
    queryKey: [...keys.objectives, 'first'],
    queryFn: () => client.call('objectives', { query: { limit: '1' } }),
  });
  const way = hosts === undefined ? undefined : joinWay(hosts.listeners, transport.origin);
  return [
    {
      title: 'Enroll an authenticator',
      isDone: members?.find(({ name }) => name === self)?.totpEnrolled,
      help: (
        <Link to="/app/admin/people" search={{ member: self }} className={linkClass}>
          Enroll one on your page
        </Link>
      ),
    },
    {
      title: 'Open the broker to your network',
      isDone: way === undefined ? undefined : way.kind === 'open',
      help: <JoinPanel />,
    },
    {
      title: 'Add a member',
      isDone: members === undefined ? undefined : members.length > 1,
      help: (
        <>
          <Link to="/app/admin/people" className={linkClass}>
            Create one
          </Link>
          <JoinPanel />
        </>
      ),
    },
    {
      title: 'Run an agent',
      isDone: kinds.isKnown ? [...kinds.byName.values()].some(({ kind }) => kind === 'agent') : undefined,
      help: <FirstAgent />,
    },
    {
      title: 'Create an objective',
      isDone: first === undefined ? undefined : first.objectives.length > 0,
      help: (
        <Link to="/app/objectives" className={linkClass}>
          Say what is to be achieved, and who does it
        </Link>
      ),
    },
  ];
}

export function FirstSteps() {
  // The inbox shows this to a team of one, and then until it is closed.
  const key = `muster.first-steps.${useSelf().member}`;
  const steps = useSteps();
  const next = steps.find(({ isDone }) => isDone === false);
  useEffect(() => {
    if (keptText(key) === null) keep(key, 'open');
  }, [key]);
  return (
    <Section
      title={next === undefined ? 'Your team is ready' : 'First steps'}
      actions={
        <IconButton label="Close the first steps" onClick={() => keep(key, 'closed')}>
          <X />
        </IconButton>
      }
    >
      <ol className="flex flex-col gap-3 px-4 py-4">
        {steps.map((step) => (
          <li key={step.title} className="flex gap-3">
            {step.isDone ? (
              <CircleCheck className="mt-0.5 size-4 shrink-0 text-accent" aria-label="Done" />
            ) : (
              <Circle className="mt-0.5 size-4 shrink-0 text-faint" aria-label="To do" />
            )}
            <div className="flex min-w-0 grow flex-col gap-2">
              <span className={step.isDone ? 'text-soft' : 'font-medium'}>{step.title}</span>
              {step === next ? step.help : null}
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Without room in the browser, the list appears again with the next visit. */
function keep(key: string, text: 'open' | 'closed'): void {
  try {
    keepText(key, text);
  } catch {
    // It is a hint, not a decision.
  }
}

function FirstAgent() {
  const self = useSelf().member;
  const other = useMembers().data?.members.find(({ name }) => name !== self);
  if (desktopBridge() !== null)
    return (
      <Link to="/app/agents" className={linkClass}>
        Run one on this computer
      </Link>
    );
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">In the folder in which it works, on a machine that has joined, run:</p>
      <CopyLine label="Run command" text={`muster run ${agentKinds[0].id} --as ${other?.name ?? 'MEMBER'}`} />
    </div>
  );
}
