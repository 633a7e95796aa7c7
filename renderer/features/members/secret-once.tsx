/** A secret that is shown once. The broker stores only its hash, so it cannot be shown again. */
import { useBroker } from '../../data/broker.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

export function TokenOnce({
  member,
  token,
  onClose,
}: {
  member: string;
  token: string | null;
  onClose: () => void;
}) {
  const { origin } = useBroker().transport;
  return (
    <Dialog
      isOpen={token !== null}
      onClose={onClose}
      isHeld
      title={`The token of ${member}`}
      description="It is shown once. Only its hash is kept: copy it now."
    >
      <div className="flex flex-col gap-4">
        <CopyLine label="Token" text={token ?? ''} />
        <p className="text-soft">
          Save it on the device that is to use it; it never appears in a command line:
        </p>
        <CopyLine label="Command" text={`SVC_TOKEN=… npx svc roster --url ${origin}`} />
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
