/** The ways to this broker: its addresses, the fingerprint to compare, the join command, and a connected platform. */
import { Suspense } from 'react';
import type { Diagnostics } from '#protocol/diagnostics.ts';
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { useMay } from '../../data/self.tsx';
import { lazyScreen } from '../../lazy-screen.ts';
import { Section } from '../../ui/page.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { NotLoaded } from '../../ui/states.tsx';
import { JoinPanel } from '../devices/join-panel.tsx';
import { AdminPage, AdminSections } from './admin-page.tsx';
import { useDiagnostics } from './diagnostics.ts';
import { FederationPart } from './federation-part.tsx';
import { LanSwitch } from './lan-switch.tsx';
import { NetworkVerdict } from './network-verdict.tsx';
import { isRemote } from './reach.rules.ts';
import { StandbyPart } from './standby-part.tsx';

/** Only the desktop app needs it. */
const DatabasePart = lazyScreen(() => import('./database-part.tsx'), 'DatabasePart');

export function NetworkScreen() {
  return (
    <AdminPage title="Network">
      <Parts />
    </AdminPage>
  );
}

function Parts() {
  const { data, error, refetch } = useDiagnostics();
  const mayRead = useMay('diagnostics');
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} />;
  return (
    <AdminSections>
      {mayRead ? <Ways listeners={data.listeners} federation={data.federation} /> : null}
      <FederationPart federation={data.federation} />
    </AdminSections>
  );
}

function Ways({ listeners, federation }: Pick<Diagnostics, 'listeners' | 'federation'>) {
  const bridge = desktopBridge();
  return (
    <>
      <NetworkVerdict listeners={listeners} federation={federation} />
      {bridge === null ? null : <LanSwitch bridge={bridge} />}
      <Section title="Join from another machine">
        <div className="flex flex-col gap-3 p-4">
          <JoinPanel codeOf={(command) => <QrCode text={command} label="QR code of the join command" />} />
        </div>
      </Section>
      <Section title="Addresses">
        <ul className="p-4">
          {listeners.map(({ url, fingerprint }) => (
            <li key={url} className="py-1">
              <code className="font-mono">{url}</code>
              <span className="block text-sm break-all text-soft">
                {fingerprint ??
                  (isRemote(url) ? 'plain HTTP, not encrypted' : 'plain HTTP, only for the broker’s machine')}
              </span>
            </li>
          ))}
        </ul>
      </Section>
      {bridge === null ? null : (
        <>
          <StandbyPart />
          <Suspense fallback={null}>
            <DatabasePart bridge={bridge} />
          </Suspense>
        </>
      )}
    </>
  );
}
