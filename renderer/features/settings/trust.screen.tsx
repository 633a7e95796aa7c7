/**
 * Explains how a device trusts the authority of this broker's certificate
 * (specification/desktop.md#lan-access). It is reachable without a login.
 */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { Mark } from '../../shell/mark.tsx';
import { ListSkeleton } from '../../ui/states.tsx';

const steps: readonly (readonly [string, string])[] = [
  [
    'Windows',
    'Open the file, Install Certificate, Current User, “Place all certificates in the following store”: Trusted Root Certification Authorities.',
  ],
  [
    'macOS',
    'Open the file to add it to the login keychain. In Keychain Access open it there, Trust: Always Trust.',
  ],
  [
    'iPhone, iPad',
    'Open this page in Safari and the file. Settings, Profile Downloaded, Install; then General, About, Certificate Trust Settings: turn it on.',
  ],
  [
    'Android',
    'Settings, Security, Encryption and credentials, Install a certificate, CA certificate: choose the file.',
  ],
  [
    'Linux',
    'Chrome: chrome://certificate-manager, Installed by you, Import. The system: sudo cp muster-ca.crt /usr/local/share/ca-certificates/ && sudo update-ca-certificates',
  ],
  [
    'Firefox anywhere',
    'Settings, Privacy and Security, View Certificates, Authorities, Import: “identify websites”.',
  ],
];

const linkClass = 'text-accent underline underline-offset-2';

export function TrustScreen() {
  const { transport } = useBroker();
  const isDesktop = transport.kind === 'desktop';
  const { data: hasAuthority } = useQuery({
    queryKey: ['authority'],
    queryFn: async () => (await fetch('/ca.crt')).ok,
    enabled: !isDesktop,
    staleTime: 0,
  });
  useEffect(() => {
    document.title = 'Trust this broker · Muster';
  }, []);
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
              On the other device open <code className="font-mono">/app/trust</code> under one of the https
              addresses that Settings, LAN access shows, and download the authority there.
            </>
          ) : (
            <a href="/ca.crt" download="muster-ca.crt" className={linkClass}>
              Download the authority (muster-ca.crt)
            </a>
          )}
        </Steps>
      ) : (
        <p>
          This broker uses no authority of its own now, so there is nothing to trust: LAN access is off, or it
          has certificates that somebody else signed.
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
        The broker signs its certificate itself, so a browser warns until the device knows who signed it. Once
        for each device:
      </p>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        <li>{children}</li>
        <li>
          Compare its SHA-256 fingerprint with the one that the operator sees in the desktop app under
          Settings, LAN access. Stop if they differ: somebody may stand in between.
        </li>
        <li>
          Install it:
          <dl className="mt-2 flex flex-col gap-2">
            {steps.map(([system, step]) => (
              <div key={system}>
                <dt className="font-medium">{system}</dt>
                <dd className="text-soft">{step}</dd>
              </div>
            ))}
          </dl>
        </li>
        <li>Close the browser, open it again, and come back.</li>
      </ol>
      <p className="text-soft">
        Agents and the command line need none of this: they keep to the key whose fingerprint they were given.
      </p>
    </>
  );
}
