/** Where a run may send what its agent says, and the agent's own key, without a person being asked. */

const isOwnMachine = (host: string): boolean => /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(host);

/** The host to ask about; null for none, for this machine, and for one that an earlier run had. Addresses are valid ones. */
export function hostToAskAbout(modelUrl: string | null, known: readonly (string | null)[]): string | null {
  if (modelUrl === null) return null;
  const { host, hostname } = new URL(modelUrl);
  if (isOwnMachine(hostname)) return null;
  return known.some((one) => one !== null && new URL(one).host === host) ? null : host;
}
