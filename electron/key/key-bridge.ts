/** The words about the key that encrypts secrets: where it is, and its export. The key itself never goes to a page. */
import type { BrowserWindow, WebContents } from 'electron';
import { z } from 'zod';
import { codeText } from '#platform/error-text.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { KeyKeeping } from '../../broker/create-broker.ts';
import { channels, type KeyExport, type KeyView } from '../bridge.ts';
import { BridgeRefusal, type BridgeWord } from '../bridge-words.ts';
import { requireManager } from '../manager-check.ts';
import { exportRecoveryKey } from './recovery-export.ts';

export interface KeyBridgeDeps {
  handle: BridgeWord;
  client: BrokerClient;
  /** Null while the broker does not run. */
  key(): KeyKeeping | null;
  isSessionKept: boolean;
  windowOf(contents: WebContents): BrowserWindow | null;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

const Nothing = z.null();

export function serveKeyBridge(deps: KeyBridgeDeps): void {
  const { handle, client, key, isSessionKept, windowOf, log } = deps;
  const running = (): KeyKeeping => {
    const keeping = key();
    if (keeping === null)
      throw new BridgeRefusal('unavailable', 'the broker does not run; its log has the cause');
    return keeping;
  };
  let isAsking = false;

  handle(channels.keyState, Nothing, async (): Promise<KeyView> => {
    await requireManager(client);
    const { place, path } = running();
    return { place, path, isSessionKept };
  });

  handle(channels.exportKey, Nothing, async (_nothing, sender): Promise<KeyExport> => {
    const member = await requireManager(client);
    const keeping = running();
    const window = windowOf(sender);
    if (window === null || isAsking) throw new BridgeRefusal('conflict', 'the app is asking already');
    isAsking = true;
    try {
      const outcome = await exportRecoveryKey(window, keeping);
      // Who took it and how; never the key.
      log.info({ member, outcome: outcome.kind }, 'the recovery key was asked for');
      return outcome;
    } catch (error) {
      const code = codeText(error);
      log.warn({ member, code }, 'the recovery key could not be saved');
      throw new BridgeRefusal(
        'unavailable',
        `The file could not be written (${code}): choose another folder. Nothing was saved.`,
      );
    } finally {
      isAsking = false;
    }
  });
}
