/**
 * The two programs that agents start, `muster mcp-bridge` and `muster mcp-hook`. They run beside every agent, so they load
 * nothing of the other verbs (ADR 0026).
 */
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { type HookMoment, hookMoments } from '../runner/agents/agent-hooks.ts';
import { keepCompiledCode } from './compile-cache.js';
import { complain, endOnFailedOutput } from './output.ts';
import { sentences } from './sentences.ts';

/**
 * @param argv the words after `svc`. Resolves with the exit code, or null for any other form of a command line,
 *   such as one that asks for help.
 */
export async function runAgentProgram([name, word, ...more]: string[]): Promise<number | null> {
  if (more.length > 0) return null;
  const moment = hookMoments.find((one) => one === word);
  const isBridge = name === 'mcp-bridge' && word === undefined;
  if (!isBridge && !(name === 'mcp-hook' && moment !== undefined)) return null;
  endOnFailedOutput();
  return moment === undefined ? await runBridge() : await runHook(moment);
}

/** Resolves with the exit code; a failure is printed. */
export const runBridge = (): Promise<number> =>
  orComplaint(async () => {
    const { default: manifest } = await import('../package.json', { with: { type: 'json' } });
    const { runMcpBridge } = await import('../runner/bridge/mcp-bridge.ts');
    keepCompiledCode();
    return runMcpBridge(process.env, manifest.version);
  });

/** Resolves with the exit code; a failure is printed. */
export const runHook = (moment: HookMoment): Promise<number> =>
  orComplaint(async () => {
    const { runMcpHook } = await import('../runner/bridge/mcp-hook.ts');
    keepCompiledCode();
    const { env, stdin: input, stdout: output, stderr: errors } = process;
    return runMcpHook({ moment, env, input, output, errors });
  });

async function orComplaint(program: () => Promise<number>): Promise<number> {
  try {
    return await program();
  } catch (error) {
    complain(sentences(reasonOf(error)));
    return 1;
  }
}
