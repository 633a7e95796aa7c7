/** Runs an agent: the desktop app starts it on this computer, and a browser shows the command. */
import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { use, useState } from 'react';
import type { DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { installableKinds } from '../../../runner/agents/agent-kinds.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { KindsContext } from '../../ui/kind.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { Select } from '../../ui/select.tsx';
import { RunForm } from './run-form.tsx';

interface RunDialogProps {
  bridge: DesktopBridge;
  isOpen: boolean;
  /** The initial choices. */
  from: RecentAgent | null;
  onClose: () => void;
}

export function RunDialog({ bridge, isOpen, from, onClose }: RunDialogProps) {
  const navigate = useNavigate();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Run an agent"
      description="The agent works in a folder on this computer, as a member of the team."
      wide
    >
      <RunForm
        bridge={bridge}
        from={from}
        onCancel={onClose}
        onStarted={(id) => {
          onClose();
          void navigate({ to: '/app/agents', search: { run: id }, replace: true });
        }}
      />
    </Dialog>
  );
}

function Commands() {
  const mayStart = useMay('approveEnrollment');
  const { byName } = use(KindsContext);
  const { data: roster } = useRoster();
  const teammates = roster?.teammates ?? [];
  const options = useMemberOptions(teammates);
  const [chosen, setChosen] = useState<string>();
  const running = new Set(roster?.connected.filter(({ run }) => run !== undefined).map(({ name }) => name));
  const free = teammates.find(({ name }) => byName.get(name)?.kind === 'agent' && !running.has(name));
  const member = chosen ?? free?.name;
  const as = mayStart ? ` --as ${member ?? 'MEMBER'}` : '';
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        An agent runs on the machine that has its files. On any machine that has joined the team, go to the
        folder in which the agent works, and run:
      </p>
      {mayStart ? (
        <Field label="Member that the agent works as">
          <Select value={member ?? ''} options={options} onChoose={setChosen} placeholder="Choose a member" />
        </Field>
      ) : null}
      {installableKinds.map(({ id, name }) => (
        <CopyLine key={id} label={name} text={`muster run ${id}${as}`} />
      ))}
      <p className="text-sm text-soft">
        {mayStart ? (
          <>
            <code className="font-mono">--as</code> creates a token for this run only, and needs a saved token
            on that machine with the permission to manage members. Without it, the agent uses the saved token
            itself.
          </>
        ) : (
          'The agent uses the token that is saved on that machine.'
        )}{' '}
        In the desktop app on the broker’s machine, you can start agents from this screen and see those that
        are running.
      </p>
    </div>
  );
}

/** The button, with its dialog. */
export function RunAgent() {
  const [isOpen, setOpen] = useState(false);
  const { muster } = window;
  const close = () => setOpen(false);
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        <Play className="size-4" />
        Run an agent
      </Button>
      {muster === undefined ? (
        <Dialog isOpen={isOpen} onClose={close} title="Run an agent">
          <Commands />
        </Dialog>
      ) : (
        <RunDialog bridge={muster} isOpen={isOpen} from={null} onClose={close} />
      )}
    </>
  );
}
