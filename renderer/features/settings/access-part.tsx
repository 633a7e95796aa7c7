/**
 * How others reach this broker: its addresses, the fingerprint to compare, and the join command, also as a QR
 * code.
 */

import { desktopBridge } from '../../data/desktop-bridge.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/page.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { useDiagnostics } from './diagnostics.ts';
import { LanSwitch } from './lan-switch.tsx';

export function AccessPart() {
  const { data, error, refetch } = useDiagnostics();
  const bridge = desktopBridge();
  if (data === undefined)
    return error === null ? <ListSkeleton /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  const secure = data.listeners.find(({ fingerprint }) => fingerprint !== null);
  const join =
    secure === undefined ? null : `npx svc connect --url ${secure.url} --fingerprint ${secure.fingerprint}`;
  return (
    <div className="flex flex-col gap-4">
      {bridge === null ? null : <LanSwitch bridge={bridge} />}
      <Section title="Addresses">
        <ul className="p-4">
          {data.listeners.map(({ url, fingerprint }) => (
            <li key={url} className="py-1">
              <code className="font-mono">{url}</code>
              <span className="block text-sm break-all text-soft">
                {fingerprint ?? 'plain HTTP, only for this machine'}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Join from another machine">
        <div className="flex flex-col gap-3 p-4">
          {join === null ? (
            <p className="text-soft">
              The broker listens only on this machine. To open it to the network, turn on LAN access in the
              desktop app, or run <code className="font-mono">npx svc setup --https</code> if there is no
              desktop.
            </p>
          ) : (
            <>
              <CopyLine label="Join command" text={join} />
              <QrCode text={join} label="QR code of the join command" />
            </>
          )}
        </div>
      </Section>
    </div>
  );
}
