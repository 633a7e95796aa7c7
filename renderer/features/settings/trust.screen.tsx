/**
 * Explains how a device trusts the authority of this broker's certificate
 * (specification/desktop.md#lan-access). It is reachable without a login.
 */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { Mark } from '../../shell/mark.tsx';
import { linkClass } from '../../ui/button.tsx';
import { useDocumentTitle } from '../../ui/document-title.ts';
import { ListSkeleton } from '../../ui/states.tsx';

const steps: readonly (readonly [string, string])[] = [
  [
    'Windows',
    'Open the file and choose Install Certificate > Current User > Place all certificates in the following store > Trusted Root Certification Authorities.',
  ],
  [
    'macOS',
    'Open the file to add it to the login keychain. In Keychain Access, open the certificate and set Trust to Always Trust.',
  ],
  [
    'iPhone, iPad',
    'Open this page in Safari and download the file. Choose Settings > Profile Downloaded > Install. Then turn the certificate on under Settings > General > About > Certificate Trust Settings.',
  ],
  [
    'Android',
    'Choose Settings > Security > Encryption and credentials > Install a certificate > CA certificate, and select the file.',
  ],
  [
    'Linux',
    'In Chrome, open chrome://certificate-manager and choose Installed by you > Import. For the system, run: sudo cp muster-ca.crt /usr/local/share/ca-certificates/ && sudo update-ca-certificates',
  ],
  [
    'Firefox on any system',
    'Choose Settings > Privacy and Security > View Certificates > Authorities > Import, and select “Trust this CA to identify websites”.',
  ],
];

export function TrustScreen() {
  const { transport } = useBroker();
  const isDesktop = transport.kind === 'desktop';
  const { data: hasAuthority } = useQuery({
    queryKey: ['authority'],
    queryFn: async () => (await fetch('/ca.crt')).ok,
    enabled: !isDesktop,
    staleTime: 0,
  });
  useDocumentTitle('Trust this broker');
  if (!isDesktop && hasAuthority === undefined) return <ListSkeleton />;
  return (
    <main className="mx-auto flex max-w-2xl flex-col gap-4 p-6">
      <div className="flex items-center gap-3">
        <Mark />
        <h1 className="text-xl font-semibold">Trust this broker’s certificate</h1>
      </div>
      {isDesktop || hasAuthority ? (
        <Steps>
          {isDesktop ? (
            <>
              On the other device, open <code className="font-mono">/app/trust</code> at one of the https
              addresses under Admin, Network, and download the certificate of the authority.
            </>
          ) : (
            <a href="/ca.crt" download="muster-ca.crt" className={linkClass}>
              Download the authority’s certificate (muster-ca.crt)
            </a>
          )}
        </Steps>
      ) : (
        <p>
          There is nothing to trust, because this broker has no authority of its own: LAN access is off, or
          its certificate was signed by someone else.
        </p>
      )}
      <p>
        <a href="/app" className={linkClass}>
          Go to the console
        </a>
      </p>
    </main>
  );
}

function Steps({ children }: { children: ReactNode }) {
  return (
    <>
      <p>
        The broker signs its own certificate, so browsers show a warning until the device trusts the authority
        that signed it. Do this once on each device:
      </p>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        <li>{children}</li>
        <li>
          Compare its SHA-256 fingerprint with the one that a manager sees in the desktop app under Admin,
          Network. If they differ, stop: someone may be intercepting the connection.
        </li>
        <li>
          Install the certificate:
          <dl className="mt-2 flex flex-col gap-2">
            {steps.map(([system, step]) => (
              <div key={system}>
                <dt className="font-medium">{system}</dt>
                <dd className="text-soft">{step}</dd>
              </div>
            ))}
          </dl>
        </li>
        <li>Restart the browser and return to this page.</li>
      </ol>
      <p className="text-soft">
        Agents and the command line need none of this, because they accept only the key whose fingerprint they
        were given.
      </p>
    </>
  );
}
