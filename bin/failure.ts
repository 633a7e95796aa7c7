/**
 * The meaning of a thrown error for the person at the terminal: an exit code and one line
 * (specification/command-line.md#conventions).
 */
import { ConnectionError } from '#client/connection-error.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { BrokerError } from '#protocol/errors.ts';
import { StartUpError } from '../broker/runtime/start-up-error.ts';
import { AgentError } from '../runner/agents/agent.ts';
import { CommandFailure } from './command-failure.ts';
import { refusalText } from './refusal-text.rules.ts';
import { sentences } from './sentences.ts';
import { UsageError } from './usage-error.ts';

export interface Failure {
  exitCode: number;
  line: string;
  /** For internal errors. */
  stack?: string | undefined;
}

/** @param help the command that explains the usage. */
export function failureOf(error: unknown, help: string): Failure {
  if (error instanceof UsageError) return { exitCode: 64, line: usageLine(error.message, help) };
  if (error instanceof StartUpError) return { exitCode: error.exitCode, line: sentences(error.message) };
  if (error instanceof CommandFailure || error instanceof ConnectionError || error instanceof AgentError)
    return { exitCode: 1, line: sentences(error.message) };
  if (error instanceof BrokerError) return { exitCode: 1, line: refusalLine(error) };
  if (isSystemError(error)) return { exitCode: 1, line: sentences(systemLine(error)) };
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    exitCode: 70,
    line: sentences(`internal error: ${error}`, 'Report it with the stack trace.'),
    stack,
  };
}

/** A message in complete sentences already says what to do. */
const usageLine = (message: string, help: string): string =>
  /[.?]$/.test(message) ? message : sentences(message, `Run "${help}" for usage.`);

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error;

function systemLine(error: NodeJS.ErrnoException): string {
  if (error.path === undefined) return error.message;
  if (error.code === 'ENOENT') return `there is no file "${error.path}"`;
  return error.code === 'EACCES'
    ? `"${error.path}" cannot be accessed; check its permissions`
    : error.message;
}

function refusalLine(error: BrokerError): string {
  const { code, message, reason } = error;
  if (code === 'unauthenticated')
    return `the broker does not accept this token. Pass another one with --token, or run "${svcCommand} connect" to get a new one.`;
  return sentences(refusalText(message, reason ?? undefined));
}
