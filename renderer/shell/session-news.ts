/** The other tabs of this browser share the session, so they are told when someone logs in or out. */
const channel = new BroadcastChannel('muster.session');

export const tellOtherTabs = (): void => channel.postMessage(null);

/** Returns a function that stops listening. */
export function listenToOtherTabs(onChanged: () => void): () => void {
  channel.addEventListener('message', onChanged);
  return () => channel.removeEventListener('message', onChanged);
}
