/**
 * The page that a device's link opens (`verificationUriComplete`): the code, and a link to the operator's
 * screen.
 */
import { useSearch } from '@tanstack/react-router';
import { Mark } from '../../shell/mark.tsx';
import { TrustHint } from '../../shell/trust-hint.tsx';

export function EnrollScreen() {
  const { code } = useSearch({ from: '/enroll' });
  const href =
    code === undefined ? '/app/admin/machines' : `/app/admin/machines?code=${encodeURIComponent(code)}`;
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-md flex-col gap-4 rounded-lg border border-line bg-surface p-6">
        <div className="flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold">A device wants to join</h1>
        </div>
        {code === undefined ? (
          <p className="text-soft">
            Open the link that the device shows, or tell a manager of the team the code.
          </p>
        ) : (
          <>
            <code className="rounded-md bg-sunken py-3 text-center font-mono text-2xl font-semibold tracking-wider">
              {code}
            </code>
            <p className="text-soft">
              Go on only if your device shows the same code. If you are a manager, continue and approve it. If
              you are not, tell a manager the code.
            </p>
          </>
        )}
        <a
          href={href}
          className="inline-flex h-8 items-center justify-center rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-hover"
        >
          Continue to approval
        </a>
        <TrustHint />
      </div>
    </main>
  );
}
