/**
 * The key that encrypts secrets, in the desktop app: where it is stored, and its export. The key itself never
 * reaches this page.
 */
import { useQuery } from '@tanstack/react-query';
import type { DesktopBridge, KeyExport, KeyView } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { FormError, NotLoaded } from '../../ui/states.tsx';

const words: Record<KeyView['place'], string> = {
  keychain:
    'The key is wrapped by this system’s keychain. Its file alone is useless, here and on any other machine.',
  file: 'When Muster started, it found no keychain of this system that it could use, so the key is a plain file that only your account can read. Anyone who copies that file and the configuration has the team’s secrets.',
  environment: 'The key came from SVC_KEK. Muster does not store it.',
};

const outcomeOf = (outcome: KeyExport): string =>
  outcome.kind === 'saved'
    ? `Saved to ${outcome.path}. Move it to a safe place away from this machine.`
    : outcome.kind === 'copied'
      ? 'Copied. Save it in a safe place, then copy something else to clear the clipboard.'
      : 'Nothing was exported.';

export function KeyPart({ bridge }: { bridge: DesktopBridge }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['key-place'],
    queryFn: () => answerOf(bridge.keyState()),
    retry: false,
  });
  const exporting = useMutation({ mutationFn: () => answerOf(bridge.exportKey()) });
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} />;
  return (
    <Section title="Key for the team’s secrets">
      <div className="flex flex-col gap-3 p-4">
        <p className="text-soft">
          One key encrypts the authenticator secrets of members and the key of web push. {words[data.place]}
        </p>
        {data.isSessionKept ? null : (
          <p className="text-soft">
            Without the keychain, the login of this app is kept only in memory, and you log in again after
            each start.
          </p>
        )}
        {data.path === null ? null : <code className="font-mono text-sm break-all">{data.path}</code>}
        <p className="text-soft">
          Export the key once, and keep it in a separate place. Without it, a new machine cannot read those
          secrets, and everyone needs a new authenticator. The key gives full control of this team.
        </p>
        <div>
          <Button isBusy={exporting.isPending} onClick={() => exporting.mutate()}>
            Export the recovery key…
          </Button>
        </div>
        {exporting.data === undefined ? null : <p role="status">{outcomeOf(exporting.data)}</p>}
        <FormError error={exporting.error} />
      </div>
    </Section>
  );
}
