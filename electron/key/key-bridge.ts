/**
 * The bridge calls about the key that encrypts secrets: where it is stored, and its export. The key itself
 * never goes to a page.
 */
import type { BrowserWindow, WebContents } from 'electron';
import { codeText } from '#platform/error-text.ts';
import type { KeyKeeping } from '../../broker/create-broker.ts';
import type { BrokerHost } from '../broker-host.ts';
import { notHere, Refusal } from '../refusal.ts';
import type { BridgeHandlers } from '../serve-bridge.ts';
import { exportRecoveryKey } from './recovery-export.ts';

export interface KeyBridgeDeps {
  host: Pick<BrokerHost, 'key' | 'state'>;
  isSessionKept(): boolean;
  windowOf(contents: WebContents): BrowserWindow | null;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

export function keyHandlers(deps: KeyBridgeDeps): Pick<BridgeHandlers, 'keyState' | 'exportKey'> {
  const { host, isSessionKept, windowOf, log } = deps;
  const running = (): KeyKeeping => {
    if (host.key === null) throw notHere(host.state);
    return host.key;
  };
  let isAsking = false;

  return {
    keyState() {
      const { place, path } = running();
      return { place, path, isSessionKept: isSessionKept() };
    },
    async exportKey(_nothing, { page, member }) {
      const keeping = running();
      const window = windowOf(page);
      if (window === null || isAsking) throw new Refusal('conflict', 'the app is already asking');
      isAsking = true;
      try {
        const outcome = await exportRecoveryKey(window, keeping);
        // Logs who exported it and how; never the key.
        log.info({ member, outcome: outcome.kind }, 'the recovery key export has ended');
        return outcome;
      } catch (error) {
        const code = codeText(error);
        log.warn({ member, code }, 'the recovery key could not be saved');
        throw new Refusal(
          'unavailable',
          `Nothing was saved, because the file could not be written (${code}). Choose another folder.`,
        );
      } finally {
        isAsking = false;
      }
    },
  };
}
