/** Runs an agent: the desktop app starts it on this computer, and a browser shows the command. */
import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { installableKinds } from '../../../runner/agents/agent-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
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
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        An agent runs on the machine that has its files. On any machine that has joined the team, go to the
        folder in which the agent works, and run:
      </p>
      {installableKinds.map(({ id, name }) => (
        <CopyLine key={id} label={name} text={`muster run ${id} --as <member>`} />
      ))}
      <p className="text-sm text-soft">
        <code className="font-mono">--as</code> needs the permission to manage members, and creates a token
        for this run only. Without it, the agent uses the saved token of the device. In the desktop app on the
        broker’s machine, you can start agents from this screen and see those that are running.
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
