/** The last step: the token, and how others join. */
import { useBroker } from '../../data/broker.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';

export function Finished({ team, token }: { team: string; token: string }) {
  const { origin } = useBroker().transport;
  return (
    <div className="flex flex-col gap-4">
      <p>
        <strong>{team}</strong> is set up. This is your token for the command line. It is shown only once:
      </p>
      <CopyLine label="Token" text={token} />
      <p className="text-soft">To join from another machine, a teammate or an agent runs:</p>
      <CopyLine label="Join command" text={`npx svc connect --url ${origin}`} />
      <a
        href="/app"
        className="inline-flex h-8 items-center justify-center rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-hover"
      >
        Log in
      </a>
    </div>
  );
}
