/** Parses `host:port`; an IPv6 address has brackets. Null for anything else. */
export function hostAndPort(text: string): { host: string; port: number } | null {
  const [, host = '', digits] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535)) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port };
}
