/**
 * Composes how the app's live streams react when the machine sleeps, wakes up, shuts down, or changes
 * networks.
 */
import { powerMonitor } from 'electron';
import { createAwake } from './awake.ts';
import type { BrokerHost } from './broker-host.ts';
import type { DesktopContext } from './desktop-context.ts';
import { watchNetwork } from './network-watch.ts';
import type { PageBridge } from './page-bridge.ts';
import type { PendingDevices } from './pending-devices.ts';
import { type PowerAction, type PowerEvent, powerActions } from './power.rules.ts';

export function composePower(
  { log, events, quitting }: DesktopContext,
  host: BrokerHost,
  devices: PendingDevices,
  pageBridge: PageBridge,
): void {
  const actions: Record<PowerAction, () => void> = {
    closeFeeds() {
      pageBridge.closeFeeds();
      devices.close();
    },
    openFeeds() {
      pageBridge.openFeeds();
      void devices.follow();
    },
    readPending: () => void devices.read(),
    renewCertificate() {
      host.lan?.renew().catch((err: unknown) => log.warn({ err }, 'the certificate could not be renewed'));
    },
    quit: () => void quitting.quit(),
  };
  const onPower = (power: PowerEvent): void => {
    for (const action of powerActions(power)) actions[action]();
  };
  powerMonitor.on('suspend', () => onPower('suspend'));
  powerMonitor.on('resume', () => onPower('resume'));
  // Electron passes an event that its typings leave out; without preventDefault, the system goes on at once.
  powerMonitor.on('shutdown', ((event: Event) => {
    event.preventDefault();
    onPower('shutdown');
  }) as () => void);
  const awake = createAwake();
  const stayAwake = (): void => awake.set((host.lan?.access ?? null) !== null);
  for (const change of ['broker', 'lan'] as const) events.on(change, stayAwake);
  quitting.add('power saving', () => awake.set(false));
  quitting.add('streams', actions.closeFeeds);
  quitting.add('network watch', watchNetwork({ onChange: () => onPower('network') }));
}
