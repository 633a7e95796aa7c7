/** The variables that lead an agent's requests through the trace proxy. */
type Env = Readonly<Record<string, string | undefined>>;

const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'] as const;
const own = '127.0.0.1,localhost,::1';

/** Returns the variable that already names another proxy; null for none. */
export function proxyInEnvironment(env: Env): string | null {
  return [...names, 'ALL_PROXY', 'all_proxy'].find((name) => (env[name] ?? '') !== '') ?? null;
}

/** As Node reads it, which does not know ALL_PROXY: it counts if nothing is set for a scheme. */
export function withProxyForAll(env: Env): Env {
  const all = env.ALL_PROXY || env.all_proxy || '';
  if (!/^https?:/i.test(all)) return env;
  const of = (upper: string, lower: string): Env =>
    (env[upper] || env[lower] || '') === '' ? { [upper]: all } : {};
  return { ...env, ...of('HTTP_PROXY', 'http_proxy'), ...of('HTTPS_PROXY', 'https_proxy') };
}

/**
 * Returns what to add to the agent's environment if a proxy is set, so that it reaches the gateway to its
 * model, and everything else here, directly.
 */
export function directToLoopback(env: Env): Record<string, string> {
  const direct = [own, env.NO_PROXY ?? env.no_proxy ?? ''].filter((list) => list !== '').join(',');
  return { NO_PROXY: direct, no_proxy: direct };
}

/** Returns what to add to the agent's environment so that its requests come to this proxy. */
export function proxyEnvironment(url: string, env: Env): Record<string, string> {
  return { ...Object.fromEntries(names.map((name) => [name, url])), ...directToLoopback(env) };
}
