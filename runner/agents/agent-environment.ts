/**
 * The environment that an agent's process inherits: never a token, never what belongs to the broker, and no mark of another agent
 * (specification/runner.md#permissions-and-safety).
 */
import type { Env } from '#protocol/paths.ts';

/** Muster's own variables hold the token, keys, and addresses of the broker. */
const ours = /^SVC_/i;

/**
 * Variables with which an agent marks the processes that it starts. A run that an agent or its terminal started
 * would otherwise be a part of that agent's session: Claude Code keeps no transcript of it.
 */
const sessionMarks = new Set([
  // Set by Claude Code for its commands, hooks, and MCP servers (read in the program of 2.1.197).
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_EFFORT',
  'CLAUDE_PROJECT_DIR',
  // Read by Claude Code as the name and kind of a background session (2.1.197).
  'CLAUDE_CODE_AGENT',
  'CLAUDE_CODE_SESSION_KIND',
  'CLAUDE_CODE_SESSION_LOG',
  'CLAUDE_CODE_SESSION_NAME',
  'CLAUDE_JOB_DIR',
  // Set by Codex for its commands (seen on 0.169.0).
  'CODEX_CI',
  'CODEX_SESSION_ID',
  'CODEX_THREAD_ID',
  'CODEX_TOOL_CALL_ID',
]);

export function agentEnvironment(env: Env): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || ours.test(name) || sessionMarks.has(name) ? [] : [[name, value]],
  );
  return Object.fromEntries(kept);
}
