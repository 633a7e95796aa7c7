/** The last step: the person is logged in and learns how others join. */
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { JoinPanel } from '../devices/join-panel.tsx';

interface FinishedProps {
  team: string;
  member: string;
  /** False if the code was not accepted any more; the login asks for the next one. */
  isLoggedIn: boolean;
  /** The address for which the broker saved the token on its machine. */
  savedFor: string | undefined;
}

export function Finished({ team, member, isLoggedIn, savedFor }: FinishedProps) {
  return (
    <div className="flex flex-col gap-4">
      <p>
        <strong>{team}</strong> is set up
        {isLoggedIn ? (
          <>
            , and you are logged in as <strong>{member}</strong>.
          </>
        ) : (
          '. Log in with the next code from your authenticator.'
        )}
      </p>
      {isLoggedIn ? <JoinPanel /> : null}
      {savedFor !== undefined ? (
        <p className="text-sm text-soft">
          The broker saved your token for {savedFor} on its machine, where <code>muster</code> commands use
          it.
        </p>
      ) : isLoggedIn && desktopBridge() === null ? (
        <p className="text-sm text-soft">
          The command line on this machine joins in the same way. It gets a token of its own that nobody has
          seen.
        </p>
      ) : null}
      <a
        href="/app"
        className="inline-flex h-8 items-center justify-center rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-hover"
      >
        {isLoggedIn ? 'Open the console' : 'Log in'}
      </a>
    </div>
  );
}
