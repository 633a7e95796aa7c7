/**
 * Claude Code as a process of the runner's own: one process, many turns. Each message is echoed when a turn takes
 * it, and the result at the end of the turn says whether the model answered
 * (specification/runner.md#bringing-messages-to-the-model).
 */
import { randomUUID } from 'node:crypto';
import type { Program } from '#platform/find-program.ts';
import { type AgentProcess, startProcess } from '../../process/agent-process.ts';
import { splitLines } from '../../process/line-splitter.ts';
import type { Registration } from '../../registration/registry-file.ts';
import { type Agent, AgentError, type AgentExit, type AgentSetting, type Bundle } from '../agent.ts';
import { ClaudeLine, failureOf, interruptLine, transcriptOf, userLine } from './claude-lines.ts';

export interface ClaudeStart {
  program: Program;
  /** The arguments that both modes pass: system prompt, settings, and permissions. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  registration: Registration;
}

const streamArgs = [
  '-p',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--replay-user-messages',
  '--verbose',
];

/** `session`: the conversation to continue; null for a new one. */
export function createOwnedClaude(setting: AgentSetting, start: ClaudeStart, session: string | null): Agent {
  const { events, conversation, log } = setting;
  /** Message ids by the uuid of the line that carries them, until it is echoed. */
  const sentByUuid = new Map<string, readonly string[]>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<AgentExit>();
  let running: AgentProcess | null = null;

  /** The messages that the present turn took, and what the model said since. */
  let taken: string[] = [];
  let hasBegun = false;
  let isTurn = false;
  let said: 'nothing' | 'something' | { error: string | null } = 'nothing';

  function handleLine(line: ClaudeLine): void {
    if (line.type === 'system') {
      if (line.subtype !== 'init') return;
      hasBegun = true;
      isTurn = true;
      if (line.session_id !== undefined) conversation.keep(line.session_id);
      events.onTurn(true);
    } else if (line.type === 'user' && line.isReplay && line.uuid !== undefined) {
      const ids = sentByUuid.get(line.uuid) ?? [];
      taken.push(...ids);
      events.onTaken?.(ids);
      sentByUuid.delete(line.uuid);
    } else if (line.type === 'assistant') {
      // Claude Code itself speaks as this model when the real one did not answer.
      said = line.message.model === '<synthetic>' ? { error: line.error ?? null } : 'something';
      for (const text of transcriptOf(line.message.content)) events.onTranscript(text);
    } else if (line.type === 'result') {
      if (line.is_error) log('the agent reports an error', { result: String(line.result).slice(0, 500) });
      const failure = line.is_error || said !== 'something' ? failureOf(line, said) : null;
      const ids = taken;
      [taken, said] = [[], 'nothing'];
      isTurn = false;
      if (failure === null && typeof line.result === 'string') events.onFinalText?.(line.result);
      events.onTurn(false);
      events.onOutcome(ids, failure);
    }
  }

  function handleText(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      if (text.trim() !== '') events.onTranscript(text);
      return;
    }
    const read = ClaudeLine.safeParse(value);
    if (read.success) handleLine(read.data);
  }

  function write(bundle: Bundle): Promise<void> {
    const stdin = running?.child.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable)
      return Promise.reject(new AgentError('the agent has ended'));
    const uuid = randomUUID();
    sentByUuid.set(uuid, bundle.messageIds);
    return new Promise((resolve, reject) => {
      stdin.write(userLine(uuid, bundle.text), (error) => {
        if (error) {
          sentByUuid.delete(uuid);
          reject(new AgentError('the agent has ended'));
          return;
        }
        events.onEvidence(bundle.messageIds, 'offered');
        resolve();
      });
    });
  }

  return {
    async start() {
      running = await startProcess({
        program: start.program,
        args: [
          ...streamArgs,
          ...(session === null ? [] : ['--resume', session]),
          ...start.args,
          ...setting.args,
        ],
        cwd: setting.cwd,
        env: start.env,
        inTerminal: false,
        runFolder: setting.runFolder,
      });
      const { child } = running;
      child.stdout?.on('data', splitLines(handleText));
      child.stderr?.on(
        'data',
        splitLines((line) => events.onTranscript(line)),
      );
      void running.exited.then((how) => {
        // A conversation that cannot be continued must not prevent the next start as well.
        if (session !== null && !hasBegun && how.code !== null && how.code !== 0) conversation.keep(null);
        events.onTurn(false);
        exit(how);
      });
    },
    wake: write,
    // A line written during a turn reaches the model in that turn.
    steer: write,
    async interrupt() {
      const stdin = running?.child.stdin;
      if (!isTurn || !stdin?.writable) return false;
      stdin.write(interruptLine(randomUUID()));
      return true;
    },
    async stop() {
      running?.child.stdin?.end();
      await running?.stop();
    },
    exited,
    isContinuing: session !== null,
    get pid() {
      return running?.child.pid ?? null;
    },
    async restore() {
      this.restoreSync();
    },
    restoreSync() {
      running?.kill();
      const said = start.registration.restore();
      if (said !== null) setting.tell(said);
    },
  };
}
