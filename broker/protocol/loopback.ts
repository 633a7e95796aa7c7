/** Hosts that only this machine can be. A name below `localhost` is none, because a resolver may answer otherwise. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
