/**
 * The agents that run under this app: starting and stopping them, their states, and their output
 * (specification/desktop.md#run-menu).
 */
import { randomUUID } from 'node:crypto';
import type { AgentView } from '../bridge.ts';
import { Refusal } from '../refusal.ts';
import { type AgentLine, shownText, withLine } from './agent-lines.rules.ts';
import { type RunnerProcess, type RunnerStart, startRunner } from './agent-process.ts';
import type { RunOutput } from './run-output.ts';
import type { RunToken } from './run-tokens.ts';
import type { RunChoices } from './spawn-plan.rules.ts';

export interface AgentRuns {
  /** The running ones first, then the ones that ended; the newest first in each group. */
  list(): AgentView[];
  /** Returns the lines of both sources so far, in order. */
  linesOf(id: string): AgentLine[];
  /** Returns the id of the run. @throws Refusal, BrokerError. */
  start(choices: RunChoices): Promise<string>;
  stop(id: string): void;
  /**
   * Stops the run if it is running, and starts it again with the same token. Returns the id of the new run.
   */
  restart(id: string): Promise<string>;
  /**
   * Starts a run again that another run of its member prevented, and ends that one. Returns the id of the new run.
   * @throws Refusal, BrokerError.
   */
  takeOver(id: string): Promise<string>;
  /** Removes a run that has ended from the list. */
  remove(id: string): void;
  readonly running: number;
  /** Prevents further starts. Resolves when all runs have ended and their tokens are revoked. */
  stopAll(): Promise<void>;
}

export interface AgentRunsDeps {
  createToken(member: string): Promise<RunToken>;
  revoke(token: RunToken): Promise<void>;
  /** Returns how to start the runner, with the bearer token in the environment. `takesOver` as in `muster run --take-over`. */
  plan(
    choices: RunChoices,
    bearer: string,
    takesOver: boolean,
  ): Promise<Pick<RunnerStart, 'command' | 'args' | 'env' | 'stopTimeoutMs'>>;
  onChange(): void;
  onLine(id: string, line: AgentLine): void;
  now(): number;
  log: { warn(details: object, message: string): void; info(details: object, message: string): void };
}

const maxRunning = 16;
const maxEnded = 20;
/** Another run of the member works or took over (specification/runner.md#ends-of-a-run). */
const heldExitCode = 75;

interface Entry {
  view: AgentView;
  choices: RunChoices;
  lines: Record<AgentLine['source'], AgentLine[]>;
  process: RunnerProcess | null;
  /** Set if a restart passes the token to the next run. */
  keepsToken: boolean;
  token: RunToken | null;
  /** Resolves when the process has ended and its token is revoked. */
  ended: PromiseWithResolvers<void>;
}

export function createAgentRuns(deps: AgentRunsDeps): AgentRuns {
  const { createToken, revoke, plan, onChange, onLine, now, log } = deps;
  const entryById = new Map<string, Entry>();
  let lineNumber = 0;
  let isClosed = false;

  const isRunning = ({ view }: Entry): boolean => view.state !== 'ended';
  const runningOnes = (): Entry[] => [...entryById.values()].filter(isRunning);

  function entryOf(id: string): Entry {
    const entry = entryById.get(id);
    if (entry === undefined) throw new Refusal('conflict', 'this agent is no longer on the list');
    return entry;
  }

  function changeView(entry: Entry, over: Partial<AgentView>): void {
    entry.view = { ...entry.view, ...over };
    onChange();
  }

  function addLine(entry: Entry, source: AgentLine['source'], text: string): void {
    const line: AgentLine = { n: ++lineNumber, source, text: shownText(text) };
    entry.lines[source] = withLine(entry.lines[source], line);
    if (source === 'log' && line.text !== '') entry.view = { ...entry.view, lastLine: line.text };
    onLine(entry.view.id, line);
  }

  function handleOutput(entry: Entry, output: RunOutput): void {
    const { state } = entry.view;
    if (output.event === 'log') addLine(entry, 'log', output.text.replace(/^muster: /, ''));
    else if (output.event === 'transcript') addLine(entry, 'transcript', output.text);
    else if (output.event === 'started')
      changeView(entry, {
        agent: output.agent,
        logPath: output.log,
        ...(state === 'starting' && { state: output.wakes ? 'waiting' : 'working' }),
      });
    else if (state !== 'stopping') changeView(entry, { state: output.state });
  }

  async function finish(entry: Entry, code: number | null): Promise<void> {
    changeView(entry, { state: 'ended', code, endedAt: now(), isHeldElsewhere: code === heldExitCode });
    log.info({ run: entry.view.id, member: entry.view.member, code }, 'an agent ended');
    const old = [...entryById.values()].filter((one) => !isRunning(one)).slice(0, -maxEnded);
    for (const { view } of old) entryById.delete(view.id);
    if (entry.token !== null && !entry.keepsToken) await revoke(entry.token);
    entry.ended.resolve();
  }

  async function begin(choices: RunChoices, kept: RunToken | null, takesOver = false): Promise<string> {
    if (isClosed) throw new Refusal('conflict', 'the app is quitting and starts no more agents');
    if (runningOnes().length >= maxRunning)
      throw new Refusal('conflict', `${maxRunning} agents are already running; stop one first`);
    const id = randomUUID();
    const { member, kind, program, folder, args, isUnattended } = choices;
    const entry: Entry = {
      view: {
        id,
        member,
        kind,
        program,
        folder,
        args: [...args],
        isUnattended,
        state: 'starting',
        startedAt: now(),
        endedAt: null,
        code: null,
        isStopped: false,
        isHeldElsewhere: false,
        agent: null,
        logPath: null,
        lastLine: null,
      },
      choices,
      lines: { log: [], transcript: [] },
      process: null,
      keepsToken: false,
      token: kept,
      ended: Promise.withResolvers(),
    };
    entryById.set(id, entry);
    onChange();
    try {
      entry.token ??= await createToken(member);
      const planned = await plan(choices, entry.token.bearer, takesOver);
      // The run was stopped while it was being prepared.
      if (entry.view.state === 'stopping') void finish(entry, null);
      else {
        log.info({ run: id, member, kind, folder, unattended: isUnattended }, 'an agent starts');
        entry.process = startRunner({
          ...planned,
          onOutput: (output) => handleOutput(entry, output),
          onEnd: (code) => void finish(entry, code),
        });
      }
    } catch (error) {
      entryById.delete(id);
      entry.view = { ...entry.view, state: 'ended' };
      onChange();
      if (entry.token !== null) await revoke(entry.token);
      entry.ended.resolve();
      throw error;
    }
    return id;
  }

  function stop(id: string): void {
    const entry = entryOf(id);
    if (!isRunning(entry)) return;
    if (entry.view.state !== 'stopping') changeView(entry, { state: 'stopping', isStopped: true });
    entry.process?.stop();
  }

  return {
    list() {
      const newest = [...entryById.values()].reverse();
      return [...newest.filter(isRunning), ...newest.filter((one) => !isRunning(one))].map(
        ({ view }) => view,
      );
    },
    linesOf(id) {
      const { log: logged, transcript } = entryOf(id).lines;
      return [...logged, ...transcript].sort((a, b) => a.n - b.n);
    },
    start: (choices) => begin(choices, null),
    stop,
    async restart(id) {
      const entry = entryOf(id);
      let kept: RunToken | null = null;
      if (isRunning(entry)) {
        entry.keepsToken = true;
        stop(id);
        await entry.ended.promise;
        kept = entry.token;
      }
      // If the button was pressed several times, only the first press replaces the run.
      if (!entryById.delete(id)) throw new Refusal('conflict', 'this agent is no longer on the list');
      try {
        return await begin(entry.choices, kept);
      } catch (error) {
        if (kept !== null) await revoke(kept);
        throw error;
      }
    },
    async takeOver(id) {
      const { view, choices } = entryOf(id);
      if (!view.isHeldElsewhere)
        throw new Refusal('conflict', 'no other run of this agent’s member prevented it');
      // If the button was pressed several times, only the first press starts a run.
      entryById.delete(id);
      return begin(choices, null, true);
    },
    remove(id) {
      if (isRunning(entryOf(id))) throw new Refusal('conflict', 'this agent is still running; stop it first');
      entryById.delete(id);
      onChange();
    },
    get running() {
      return runningOnes().length;
    },
    async stopAll() {
      isClosed = true;
      const ending = runningOnes();
      for (const { view } of ending) stop(view.id);
      await Promise.all(ending.map(({ ended }) => ended.promise));
      // A restart that waits for one of these runs will be refused, so its token is revoked here.
      for (const { token, keepsToken } of ending) if (keepsToken && token !== null) await revoke(token);
    },
  };
}
