/** A secret that is shown once. The broker stores only its hash, so it cannot be shown again. */
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';

export function TokenOnce({
  member,
  token,
  isAuthenticatorUnbound = false,
  onClose,
  focusAfter,
}: {
  member: string;
  token: string | null;
  /** A rotation unbound the authenticator, too. */
  isAuthenticatorUnbound?: boolean;
  onClose: () => void;
  focusAfter?: () => HTMLElement | null;
}) {
  return (
    <Dialog
      isOpen={token !== null}
      onClose={onClose}
      {...(focusAfter && { focusAfter })}
      isSecret
      title={`Token of ${member}`}
      description="Copy the token now. It is shown only once, because the broker stores only its hash."
    >
      <div className="flex flex-col gap-4">
        <CopyLine label="Token" text={token ?? ''} />
        <p className="text-soft">
          Save the token on the device that uses it. The muster command takes it from the environment variable{' '}
          <code className="font-mono">SVC_TOKEN</code>, which keeps it out of the command line.
        </p>
        {isAuthenticatorUnbound ? (
          <p>
            One of the ended credentials had bound the authenticator of {member}, so it is no longer accepted.
            Enroll another one.
          </p>
        ) : null}
        <FormActions>
          <Button look="primary" onClick={onClose}>
            I have copied the token
          </Button>
        </FormActions>
      </div>
    </Dialog>
  );
}
