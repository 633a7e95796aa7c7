/** The words about LAN access that a page may say (design "LAN access"). What is on or off is the broker's to know. */
import { z } from 'zod';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { SecureListener } from '../../broker/create-broker.ts';
import { channels, type LanView } from '../bridge.ts';
import { BridgeRefusal, type BridgeWord } from '../bridge-words.ts';
import { requireManager } from '../manager-check.ts';

export interface LanBridgeDeps {
  handle: BridgeWord;
  /** As the member who is logged in at this desktop. */
  client: BrokerClient;
  /** Null while the broker does not run. */
  lan(): SecureListener | null;
  onChange(): void;
  log: { info(details: object, message: string): void };
}

const Nothing = z.null();

export function serveLanBridge({ handle, client, lan, onChange, log }: LanBridgeDeps): void {
  const running = (): SecureListener => {
    const listener = lan();
    if (listener === null)
      throw new BridgeRefusal('unavailable', 'the broker does not run; its log has the cause');
    return listener;
  };
  const view = (): LanView => {
    const { access, fault } = running();
    return access === null ? { isOn: false, fault } : { isOn: true, ...access };
  };

  handle(channels.lanState, Nothing, async () => {
    await requireManager(client);
    return view();
  });
  handle(channels.turnLanOn, Nothing, () => change('on', () => running().start()));
  handle(channels.turnLanOff, Nothing, () => change('off', () => running().stop()));

  async function change(to: 'on' | 'off', run: () => Promise<unknown>): Promise<LanView> {
    const member = await requireManager(client);
    try {
      await run();
    } catch (error) {
      throw error instanceof BrokerError ? new BridgeRefusal(error.code, error.message) : error;
    }
    log.info({ member }, `LAN access: ${to}`);
    onChange();
    return view();
  }
}
