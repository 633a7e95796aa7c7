/** The functions that only the desktop app has; null in a browser. */
import type { BridgeReply, DesktopBridge } from '../../electron/bridge.ts';

declare global {
  interface Window {
    muster?: DesktopBridge;
  }
}

export const desktopBridge = (): DesktopBridge | null => window.muster ?? null;

/** @throws Error with the message from the app. */
export async function answerOf<T>(reply: Promise<BridgeReply<T>>): Promise<T> {
  const answer = await reply;
  if (!answer.ok) throw new Error(answer.message);
  return answer.value;
}
