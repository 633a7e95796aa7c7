/**
 * Turns LAN access on and off, in the desktop app (specification/desktop.md#lan-access). The network's
 * view of the broker is then shown below it, and in every browser.
 */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DesktopBridge, LanView } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button, linkClass } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, FormError, Skeleton } from '../../ui/states.tsx';
import { lanKey, useLanState } from './bridge-states.ts';

export function LanSwitch({ bridge }: { bridge: DesktopBridge }) {
  const cache = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const { data, error, refetch } = useLanState();
  const change = useMutation({
    mutationFn: (isOn: boolean) => answerOf(isOn ? bridge.turnLanOn() : bridge.turnLanOff()),
    onSuccess: (view) => cache.setQueryData(lanKey, view),
    onSettled() {
      setIsAsking(false);
      void cache.invalidateQueries({ queryKey: keys.diagnostics });
    },
  });
  return (
    <Section title="LAN access">
      <div className="flex flex-col gap-3 p-4">
        {data === undefined || data === null ? (
          error === null ? (
            <Skeleton className="h-8 w-64" />
          ) : (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )
        ) : (
          <>
            <State view={data} />
            {data.isOn ? null : <FormError error={change.error === null ? data.fault : null} />}
            <div>
              {data.isOn ? (
                <Button onClick={() => setIsAsking(true)}>Turn LAN access off</Button>
              ) : (
                <Button look="primary" isBusy={change.isPending} onClick={() => change.mutate(true)}>
                  Turn LAN access on
                </Button>
              )}
            </div>
          </>
        )}
        <FormError error={change.error} />
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="Turn LAN access off?"
        consequence="Agents and people on other machines are disconnected immediately. The key is kept, so they reconnect by themselves when you turn LAN access on again."
        act="Turn off"
        isBusy={change.isPending}
        news={data?.isOn === false ? 'LAN access is off already.' : undefined}
        onConfirm={() => change.mutate(false)}
      />
    </Section>
  );
}

function State({ view }: { view: LanView }) {
  if (!view.isOn)
    return (
      <p className="text-soft">
        Off: only this machine can reach the broker. If you turn it on, the broker listens on the whole
        network with encryption and its own key, and every device still needs your approval to join.
      </p>
    );
  return (
    <>
      <p>On: other machines on the network can reach the broker at</p>
      <ul>
        {view.urls.map((url) => (
          <li key={url}>
            <code className="font-mono break-all">{url}</code>
          </li>
        ))}
      </ul>
      {view.authorityFingerprint === null ? null : (
        <p className="text-soft">
          Browsers on those machines show a warning until the device{' '}
          <Link to="/app/trust" className={linkClass}>
            trusts this broker’s authority
          </Link>
          , whose fingerprint is{' '}
          <code className="font-mono text-sm break-all">{view.authorityFingerprint}</code>. Systems may show
          it in capital letters and in pairs.
        </p>
      )}
    </>
  );
}
