/**
 * Claude Code as a process of the runner's own: one process, many turns. Each message is echoed when the
 * model gets it, which proves that it is in context (specification/runner.md#bringing-messages-to-the-model).
 */
import { randomUUID } from 'node:crypto';
import { type AgentProcess, startProcess } from '../../process/agent-process.ts';
import { splitLines } from '../../process/line-splitter.ts';
import type { Registration } from '../../registration/registry-file.ts';
import { type Agent, AgentError, type AgentExit, type AgentSetting, type Bundle } from '../agent.ts';
import { ClaudeLine, transcriptOf, userLine } from './claude-lines.ts';

export interface ClaudeStart {
  command: string;
  /** What both modes pass: system prompt, settings, and permissions. */
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

export function createOwnedClaude(setting: AgentSetting, start: ClaudeStart): Agent {
  const { events, log } = setting;
  /** Message ids by the uuid of the line that carries them, until it is echoed. */
  const sentByUuid = new Map<string, readonly string[]>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<AgentExit>();
  let running: AgentProcess | null = null;

  function handleLine(line: ClaudeLine): void {
    if (line.type === 'user' && line.isReplay && line.uuid !== undefined) {
      const ids = sentByUuid.get(line.uuid);
      sentByUuid.delete(line.uuid);
      if (ids !== undefined) events.onEvidence(ids, 'in_context');
      events.onTurn(true);
    } else if (line.type === 'assistant') {
      events.onTurn(true);
      for (const text of transcriptOf(line.message.content)) events.onTranscript(text);
    } else if (line.type === 'result') {
      if (line.is_error) log('the agent reports an error', { result: String(line.result).slice(0, 500) });
      else if (typeof line.result === 'string') events.onFinalText?.(line.result);
      events.onTurn(false);
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
        command: start.command,
        args: [...streamArgs, ...start.args, ...setting.args],
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
        events.onTurn(false);
        exit(how);
      });
    },
    wake: write,
    // A line written during a turn reaches the model in that turn.
    steer: write,
    async stop() {
      running?.child.stdin?.end();
      await running?.stop();
    },
    exited,
    get pid() {
      return running?.child.pid ?? null;
    },
    async restore() {
      this.restoreSync();
    },
    restoreSync() {
      running?.kill();
      const said = start.registration.restore();
      if (said !== null) log(said);
    },
  };
}
