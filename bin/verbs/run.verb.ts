/** `muster run`: an agent as a member of the team (specification/runner.md). */
import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { createClient } from '#protocol/client.ts';
import { BrokerError, isRefusedFor } from '#protocol/errors.ts';
import { agentKinds, installableKinds } from '../../runner/agents/agent-kinds.ts';
import { type Run, startRun } from '../../runner/run.ts';
import { createRunToken } from '../../runner/session/own-token.ts';
import type { ToolSet } from '../../runner/toolbox/toolbox.ts';
import { type BrokerConnection, connectionOptions, connectToBroker } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { keepCompiledCode } from '../compile-cache.js';
import { failureOf } from '../failure.ts';
import { endLeanStart } from '../lean-start.js';
import { complain, endOutputWith, print, printJsonLine, remark } from '../output.ts';
import { ownCommand } from '../own-command.ts';
import { ownPaths } from '../own-paths.ts';
import { harmless, oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

/** One line of `--json`. */
const jsonLines =
  'With --json, each line is an object: {event:"started",member,agent,wakes,pid,log}, {event:"state",state:"waiting"|"working"}, {event:"log",text}, or {event:"transcript",text}.';
const installableIds = installableKinds.map(({ id }) => id);
const toolSets = ['all', 'specified'] as const satisfies readonly ToolSet[];
const unattendedIds = agentKinds.flatMap(({ id, capabilities }) =>
  capabilities.canSkipApprovals ? [id] : [],
);
const idWidth = Math.max(...agentKinds.map(({ id }) => id.length));
const parentLookMs = 2000;
/** As in sysexits.h: try again later, and no permission. */
const exitCodeByRefusal = { 'another run': 75, stop: 77, credential: 77 } as const;

export const verb = defineVerb({
  usage: `muster run <${agentKinds.map(({ id }) => id).join('|')}> [options] [-- <arguments>...]`,
  takesArguments: true,
  options: {
    as: {
      type: 'string',
      value: '<member>',
      help: 'run as this member, with a token for this run only (requires members.manage)',
    },
    'take-over': {
      type: 'boolean',
      help: 'end the present run of this member, on any machine, and run instead',
    },
    cwd: {
      type: 'string',
      value: '<folder>',
      help: 'folder in which the agent works (default: this folder)',
    },
    'model-url': { type: 'string', value: '<url>', help: 'address for its model requests' },
    tools: {
      type: 'string',
      value: `<${toolSets.join('|')}>`,
      help: 'all of the team’s tools (default), or only the 23 of the specification',
    },
    'no-reply': {
      type: 'boolean',
      help: 'do not post the final text of a turn as the reply to whoever asked',
    },
    'no-trace': { type: 'boolean', help: 'do not record its exchanges with the model' },
    'trace-http': { type: 'boolean', help: 'also record the hosts and times of its other requests' },
    unattended: {
      type: 'boolean',
      help: `let it act without asking for permission (${unattendedIds.join(', ')}); this is logged`,
    },
    'new-session': {
      type: 'boolean',
      help: 'begin a new conversation instead of continuing the one of the last run in this folder',
    },
    headless: { type: 'boolean', help: 'let the runner control its input and output, even in a terminal' },
    terminal: {
      type: 'boolean',
      help: 'control its input and output yourself, even if there is no terminal',
    },
    json: {
      type: 'boolean',
      help: 'print one JSON object per line; implies --headless, and the run ends when its own input ends',
    },
    ...connectionOptions,
  },
  notes: [
    'Registers the team’s tools with the agent, delivers the team’s messages to it, and records what it does. Press Ctrl+C to stop.',
    'When the run ends, every file that it changed (.mcp.json) is restored. The first line that it prints names its log.',
    ...agentKinds.map(({ id, name, help }) => `  ${id.padEnd(idWidth)}  ${name}: ${help}`),
    jsonLines,
    'The exit code is the agent’s own, 128 plus the signal’s number if a signal ended the run, 75 if another run of the member is running or took over, or 77 if the broker does not accept the token or somebody stopped the run.',
  ],
  async run({ values, positionals, env }) {
    const [kind, ...args] = positionals;
    if (kind === undefined)
      throw new UsageError(`name what to run: ${installableIds.join(', ')}, or a command`);
    if (values.headless && values.terminal) throw new UsageError('pass --headless or --terminal, not both');
    if (values.json && values.terminal) throw new UsageError('pass --json or --terminal, not both');
    const isJson = values.json ?? false;
    const tools = toolSets.find((one) => one === (values.tools ?? 'all'));
    if (tools === undefined) throw new UsageError(`--tools must be ${toolSets.join(' or ')}`);
    const modelUrl = checkedModelUrl(values['model-url']);
    const cwd = await folder(values.cwd ?? '.');
    const inTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
    const mode = (values.terminal ?? (inTerminal && !values.headless && !isJson)) ? 'terminal' : 'owned';
    const inputOver = isJson ? endOfInput() : null;

    const connection = await connectToBroker(values, env);
    const own = values.as === undefined ? null : await ownToken(connection, values.as);
    const paths = ownPaths(env);
    const { command, script } = ownCommand();
    let run: Run;
    try {
      run = await startRun({
        kind,
        args,
        cwd,
        mode,
        isUnattended: values.unattended ?? false,
        isTraced: !values['no-trace'],
        tracesHttp: values['trace-http'] ?? false,
        tools,
        offersReply: !values['no-reply'],
        modelUrl,
        isNewSession: values['new-session'] ?? false,
        takesOver: values['take-over'] ?? false,
        http: own?.http ?? connection.http,
        env,
        paths,
        bridgeCommand: { command, args: [script, 'mcp-bridge'] },
        capturesOutput: isJson,
        onWork(isWorking) {
          if (isJson) printJsonLine({ event: 'state', state: isWorking ? 'working' : 'waiting' });
        },
        tell: (line) =>
          isJson ? printJsonLine({ event: 'log', text: line }) : remark(`muster: ${oneLine(line)}`),
        onTranscript: (line) =>
          isJson ? printJsonLine({ event: 'transcript', text: line }) : print(harmless(line)),
      });
    } catch (error) {
      await own?.revoke();
      const isHeld = isRefusedFor(error, 'run_held');
      if (!(error instanceof BrokerError && (isHeld || error.status === 401))) throw error;
      complain(failureOf(error, 'muster help run').line);
      return exitCodeByRefusal[isHeld ? 'another run' : 'credential'];
    }
    let isUnread = false;
    // The agent is ended, its files are restored, and its token is revoked, as with a signal.
    endOutputWith(() => {
      if (!isUnread) run.end('SIGPIPE');
      isUnread = true;
    });
    keepCompiledCode();
    endLeanStart();
    endWithParent(run);
    void inputOver?.then(() => run.end('SIGHUP'));
    if (isJson) {
      const { member, agent, wakes, pid, logPath: log } = run;
      printJsonLine({ event: 'started', member, agent, wakes, pid, log });
    }
    const { code, signal } = await run.ended.finally(() => own?.revoke());
    if (run.endedBy === null && run.refusedBy !== null) return exitCodeByRefusal[run.refusedBy];
    const ending = run.endedBy ?? signal;
    return ending === null ? (code ?? 1) : 128 + (constants.signals[ending] ?? 0);
  },
});

function checkedModelUrl(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given;
  throw new UsageError('--model-url must be an http or https address');
}

async function folder(given: string): Promise<string> {
  const path = resolve(given);
  const found = await stat(path).catch(() => null);
  if (found === null)
    throw new CommandFailure(`there is no folder "${path}". Create it, or pass another folder with --cwd.`);
  if (!found.isDirectory()) throw new CommandFailure(`"${path}" is not a folder. Pass a folder with --cwd.`);
  return path;
}

async function ownToken(connection: BrokerConnection, member: string) {
  const { client, http: ofManager } = connection;
  const anonymous = createClient(ofManager.withToken(null).send);
  const { token: bearer, tokenId } = await createRunToken(client, anonymous, member);
  const http = ofManager.withToken(bearer);
  return {
    http,
    revoke: () =>
      createClient(http.send)
        .call('revokeToken', { params: { name: member, id: tokenId } })
        .catch((error: unknown) => {
          // It was already revoked, or has expired.
          if (error instanceof BrokerError && error.status === 401) return;
          remark(
            `muster: the token of this run was not revoked (${oneLine(reasonOf(error))}). Revoke it with: ${svcCommand} members revoke ${member} ${tokenId}`,
          );
        }),
  };
}

/**
 * The program that started the run holds the other end of its input, which closes when that program ends, also
 * on Windows.
 */
function endOfInput(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdin
    .once('close', resolve)
    .once('error', () => resolve())
    .resume();
  // It does not keep the process alive. A file has no such function, and ends at once.
  process.stdin.unref?.();
  return promise;
}

/** Ends the run when the program that started it has ended. */
function endWithParent(run: Run): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) run.end('SIGHUP');
  }, parentLookMs).unref();
}
