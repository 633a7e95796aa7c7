/** What an agent's process inherits (design "Registration", "desktop"): never a bearer, never what belongs to the broker. */
import type { Env } from '#protocol/paths.ts';

/** Our own variables hold the bearer, keys and addresses of the broker. */
const ours = /^SVC_/i;

export function agentEnvironment(env: Env): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || ours.test(name) ? [] : [[name, value]],
  );
  return Object.fromEntries(kept);
}
