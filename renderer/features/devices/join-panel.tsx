/** How another machine joins the team, or the way to open the broker to the network while none can reach it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { joinWay } from '#protocol/join.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { linkClass } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';

interface JoinPanelProps {
  /** On the page with the switch for LAN access: shows the command as a QR code, too. */
  codeOf?: (command: string) => ReactNode;
}

export function JoinPanel({ codeOf }: JoinPanelProps) {
  const { client, transport } = useBroker();
  const { data, error, refetch } = useQuery({
    queryKey: keys.diagnostics,
    queryFn: () => client.call('diagnostics', {}),
    staleTime: 0,
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-10" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  const way = joinWay(data.listeners, transport.origin);
  if (way.kind === 'closed')
    return transport.kind === 'desktop' ? (
      <OffInDesktop isWithSwitch={codeOf !== undefined} />
    ) : (
      <p className="text-soft">{way.remedy}</p>
    );
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        On the other machine, run this command. It shows a code. Compare it with the one under Machines before
        you approve it there, because whoever has the code joins the team.
      </p>
      <CopyLine label="Join command" text={way.command} />
      <p className="text-sm text-soft">{way.note}</p>
      {codeOf?.(way.command)}
    </div>
  );
}

function OffInDesktop({ isWithSwitch }: { isWithSwitch: boolean }) {
  if (isWithSwitch)
    return <p className="text-soft">Turn LAN access on to get the command for other machines.</p>;
  return (
    <p className="text-soft">
      LAN access is off, so no other machine can reach the broker.{' '}
      <a href="/app/admin/network" className={linkClass}>
        Turn it on under Network
      </a>{' '}
      to get the command for other machines.
    </p>
  );
}
