/** The other tabs of this browser share the session, so they are told when someone logs in or out. */
import { sessionSecretKey } from '../data/session-secret.ts';

const channel = new BroadcastChannel('muster.session');

export const tellOtherTabs = (): void => channel.postMessage(null);

/**
 * Returns a function that stops listening. The secret of a session can reach the storage of this tab later than
 * the news, so its arrival is news as well.
 */
export function listenToOtherTabs(onChanged: () => void): () => void {
  const onStored = ({ key }: StorageEvent): void => {
    if (key === sessionSecretKey || key === null) onChanged();
  };
  channel.addEventListener('message', onChanged);
  window.addEventListener('storage', onStored);
  return () => {
    channel.removeEventListener('message', onChanged);
    window.removeEventListener('storage', onStored);
  };
}
