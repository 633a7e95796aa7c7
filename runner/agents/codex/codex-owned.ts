/** Codex as a process of the runner's own: `codex app-server`, with one conversation for the whole run. */
import { z } from 'zod';
import { reasonOf } from '#platform/error-text.ts';
import type { Program } from '#platform/find-program.ts';
import { type AgentProcess, startProcess } from '../../process/agent-process.ts';
import { splitLines } from '../../process/line-splitter.ts';
import { type Agent, AgentError, type AgentExit, type AgentSetting, type Bundle } from '../agent.ts';
import { type AppServer, createAppServer } from './app-server.ts';
import { refusalOf } from './approvals.ts';
import type { CodexHome } from './codex-home.ts';
import { type CodexThread, createCodexThread } from './codex-thread.ts';

export interface CodexStart {
  program: Program;
  env: Readonly<Record<string, string>>;
  home: CodexHome;
}

/** The first conversation waits for the MCP servers. */
const answerTimeoutMs = 90_000;
const noiseKept = 10;
const ThreadAnswer = z.object({ thread: z.object({ id: z.string() }) });
const Warning = z.object({ message: z.string() }).or(z.object({ summary: z.string() }));

/** Text as it grows, piece by piece; all of it comes with the item. */
const unneeded = [
  'item/agentMessage/delta',
  'item/commandExecution/outputDelta',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/plan/delta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/textDelta',
  'turn/diff/updated',
];

/** The agent's own bypass of permission questions. */
const bypass = { approvalPolicy: 'never', sandbox: 'danger-full-access' };

export function createOwnedCodex(setting: AgentSetting, { program, env, home }: CodexStart): Agent {
  const { cwd, args, isUnattended, conversation, events, log } = setting;
  const { promise: exited, resolve: exit } = Promise.withResolvers<AgentExit>();
  const lastNoise: string[] = [];
  let running: AgentProcess | null = null;
  let thread: CodexThread | null = null;
  let isContinuing = false;

  function onNoise(line: string): void {
    if (line.trim() === '') return;
    log('codex', { line: line.slice(0, 500) });
    lastNoise.push(line);
    if (lastNoise.length > noiseKept) lastNoise.shift();
  }

  function connect({ child }: AgentProcess): AppServer {
    if (child.stdin === null || child.stdout === null) throw new AgentError('Codex has no input and output');
    child.stderr?.on('data', splitLines(onNoise));
    return createAppServer({
      input: child.stdin,
      output: child.stdout,
      answerTimeoutMs,
      onNoise,
      onNotification(method, params) {
        thread?.onNotification(method, params);
        if (!['warning', 'configWarning', 'deprecationNotice', 'error'].includes(method)) return;
        const warning = Warning.safeParse(params);
        log(`codex ${method}`, warning.success ? warning.data : {});
      },
      onRequest(method) {
        log('denied an approval request because nobody is there to answer it', { method });
        events.onTranscript(`denied, because nobody is there to approve it: ${method}`);
        return refusalOf(method);
      },
    });
  }

  async function beginConversation(server: AppServer): Promise<CodexThread> {
    await server.ask(
      'initialize',
      {
        clientInfo: { name: 'svc', title: 'muster run', version: '1' },
        capabilities: {
          // To end the commands of an interrupted turn.
          experimentalApi: true,
          requestAttestation: false,
          optOutNotificationMethods: unneeded,
        },
      },
      z.object({}),
    );
    server.notify('initialized');
    if (isUnattended) log('permission questions are bypassed', bypass);
    const request = { cwd, ...(isUnattended ? bypass : {}) };
    const threadId =
      (await continueThread(server, request)) ??
      (await server.ask('thread/start', request, ThreadAnswer)).thread.id;
    conversation.keep(threadId);
    return createCodexThread({ server, threadId, events, log });
  }

  /** Null if there is no conversation to continue, or Codex cannot continue it. */
  async function continueThread(server: AppServer, request: object): Promise<string | null> {
    const { previous } = conversation;
    if (previous === null) return null;
    try {
      const { thread } = await server.ask('thread/resume', { ...request, threadId: previous }, ThreadAnswer);
      isContinuing = true;
      return thread.id;
    } catch (error) {
      if (!running?.child.stdin?.writable) throw error;
      log('the conversation of the last run cannot be continued; a new one begins', {
        conversation: previous,
        reason: reasonOf(error),
      });
      return null;
    }
  }

  function bring(bundle: Bundle): Promise<void> {
    if (thread === null) return Promise.reject(new AgentError('Codex has not started'));
    return thread.bring(bundle);
  }

  return {
    async start() {
      running = await startProcess({
        program,
        args: ['app-server', ...args],
        cwd,
        env: { ...env, CODEX_HOME: home.path },
        inTerminal: false,
        runFolder: setting.runFolder,
      });
      void running.exited.then((how) => {
        events.onTurn(false);
        exit(how);
      });
      try {
        thread = await beginConversation(connect(running));
      } catch (error) {
        await running.stop();
        const reason = reasonOf(error);
        const said = lastNoise.length === 0 ? '' : `; its last output: ${lastNoise.join(' ')}`;
        throw new AgentError(`Codex cannot be started: ${reason}${said}`);
      }
    },
    wake: bring,
    steer: bring,
    interrupt: () => thread?.interrupt() ?? Promise.resolve(false),
    async stop() {
      running?.child.stdin?.end();
      await running?.stop();
    },
    exited,
    get isContinuing() {
      return isContinuing;
    },
    get pid() {
      return running?.child.pid ?? null;
    },
    async restore() {
      await running?.stop();
      home.remove();
    },
    restoreSync() {
      running?.kill();
      home.remove();
    },
  };
}
