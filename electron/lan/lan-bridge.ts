/** The bridge calls that show LAN access and switch it. */
import type { SecureListener } from '../../broker/create-broker.ts';
import type { LanView } from '../bridge.ts';
import type { BrokerHost } from '../broker-host.ts';
import { notHere } from '../refusal.ts';
import type { BridgeHandlers, ManagerCaller } from '../serve-bridge.ts';

export interface LanBridgeDeps {
  host: Pick<BrokerHost, 'lan' | 'state'>;
  onChange(): void;
  log: { info(details: object, message: string): void };
}

export function lanHandlers({
  host,
  onChange,
  log,
}: LanBridgeDeps): Pick<BridgeHandlers, 'lanState' | 'turnLanOn' | 'turnLanOff'> {
  const running = (): SecureListener => {
    if (host.lan === null) throw notHere(host.state);
    return host.lan;
  };
  const view = (): LanView => {
    const { access, fault } = running();
    return access === null ? { isOn: false, fault } : { isOn: true, ...access };
  };
  const changed = (to: 'on' | 'off', { member }: ManagerCaller): LanView => {
    log.info({ member }, `LAN access: ${to}`);
    onChange();
    return view();
  };
  return {
    lanState: view,
    async turnLanOn(_nothing, caller) {
      await running().start();
      return changed('on', caller);
    },
    async turnLanOff(_nothing, caller) {
      await running().stop();
      return changed('off', caller);
    },
  };
}
