/**
 * What an agent's process inherits: never a token, never what belongs to the broker
 * (specification/runner.md#permissions-and-safety).
 */
import type { Env } from '#protocol/paths.ts';

/** Muster's own variables hold the token, keys, and addresses of the broker. */
const ours = /^SVC_/i;

export function agentEnvironment(env: Env): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || ours.test(name) ? [] : [[name, value]],
  );
  return Object.fromEntries(kept);
}
