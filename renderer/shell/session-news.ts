/** Other tabs of this browser share its session: they are told when somebody has logged in or out. */
const channel = new BroadcastChannel('muster.session');

export const tellOtherTabs = (): void => channel.postMessage(null);

/** Answers the function that stops listening. */
export function listenToOtherTabs(onChanged: () => void): () => void {
  channel.addEventListener('message', onChanged);
  return () => channel.removeEventListener('message', onChanged);
}
