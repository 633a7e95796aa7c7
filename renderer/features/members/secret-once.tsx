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
      title={`Token of ${member}`}
      description="Copy the token now. It is shown only once, because the broker stores only its hash."
    >
      <div className="flex flex-col gap-4">
        <CopyLine label="Token" text={token ?? ''} />
        <p className="text-soft">
          Save the token on the device that uses it. To keep it out of the command line, pass it as an
          environment variable:
        </p>
        <CopyLine label="Command" text={`SVC_TOKEN=… npx svc roster --url ${origin}`} />
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            I have copied the token
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
