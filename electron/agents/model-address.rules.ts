/**
 * Decides whether the app must ask before a run sends the agent's requests, with its key, to a model address.
 */

const isOwnMachine = (host: string): boolean => /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(host);

/**
 * Returns the host to ask about, or null if there is no address, it is on this machine, or a recent run used
 * it. Expects valid addresses.
 */
export function hostToAskAbout(modelUrl: string | null, known: readonly (string | null)[]): string | null {
  if (modelUrl === null) return null;
  const { host, hostname } = new URL(modelUrl);
  if (isOwnMachine(hostname)) return null;
  return known.some((one) => one !== null && new URL(one).host === host) ? null : host;
}
