/**
 * THE composition of a run (design "Parts"): credentials → briefing → log, state, spool → gateway → bridge → agent → stream. A straight
 * list; read this first.
 */
import { rm } from 'node:fs/promises';
import type { HttpClient } from '#client/http-client.ts';
import { reasonOf } from '#platform/error-text.ts';
import { createClient } from '#protocol/client.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
import { startActivityUploads } from './activity/activity-uploads.ts';
import { type Agent, AgentError, type AgentExit, type BridgeCommand } from './agents/agent.ts';
import { agentEnvironment } from './agents/agent-environment.ts';
import type { Mode } from './agents/descriptor.ts';
import { loadAgent } from './agents/load-agent.ts';
import { keyVariable, socketVariable } from './bridge/bridge-protocol.ts';
import { startBridgeServer } from './bridge/bridge-server.ts';
import { shortenResult } from './bridge/shorten-result.ts';
import { createDelivery } from './delivery/delivery.ts';
import { followStream } from './delivery/follow-stream.ts';
import { createHookTake } from './delivery/hook-take.ts';
import { startModelGateway } from './gateway/model-gateway.ts';
import { directToLoopback } from './gateway/proxy-environment.rules.ts';
import { startTraceProxy } from './gateway/trace-proxy.ts';
import { onExit } from './process/exit-paths.ts';
import { abandonedFolders, makeOwnedFolder } from './process/owned-folder.ts';
import { createBusyReport } from './session/busy-report.ts';
import { instructionsOf } from './session/instructions.rules.ts';
import { createObjectivesTracker, type Fresh } from './session/objectives-tracker.ts';
import { openRunLog } from './session/run-log.ts';
import { openRunState } from './session/run-state.ts';
import { createBrokerCalls } from './toolbox/broker-calls.ts';
import { createToolbox } from './toolbox/toolbox.ts';

export interface RunOptions {
  /** The id of a kind of agent, or a command. */
  kind: string;
  args: readonly string[];
  cwd: string;
  mode: Mode;
  isUnattended: boolean;
  /** Whether exchanges with the model are captured. */
  isTraced: boolean;
  /** Whether other requests of the agent are noted, too. */
  tracesHttp: boolean;
  /** Overrides the model's address. */
  modelUrl: string | null;
  /** The broker as the member whose agent this is. */
  http: HttpClient;
  env: Env;
  paths: Pick<AppPaths, 'logsDir' | 'runsDir'>;
  /** How an agent starts `svc mcp-bridge`. */
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
  /** Whether what a command prints is its transcript; else it goes to this process's own output. */
  capturesOutput?: boolean;
  /** Whether the agent works: a turn is under way, or an exchange with its model is. */
  onWork?(isWorking: boolean): void;
  /** Lines for the person: the state of the run, and what an owned agent says. */
  tell(line: string): void;
  onTranscript(line: string): void;
}

export interface Run {
  /** Whose run it is. */
  readonly member: string;
  /** What the agent says it is: `Claude Code 2.1.197`. */
  readonly agent: string;
  /** Whether messages wake the agent; one that they do not wake reports no turns either. */
  readonly wakes: boolean;
  readonly pid: number | null;
  readonly logPath: string;
  /** The signal that ended it; null when the agent ended by itself. */
  readonly endedBy: NodeJS.Signals | null;
  /** As if the process had got this signal. */
  end(signal: NodeJS.Signals): void;
  /** Ends the agent, restores every file, and reports what is left to report. Doing it again changes nothing. */
  stop(): Promise<void>;
  /** How the agent ended; resolves when everything is restored and reported. */
  readonly ended: Promise<AgentExit>;
}

const uploadAtExitMs = 3000;
/** Longer than a bridge needs to start; an agent that has not asked for the tools then may do without them. */
const toolsPatienceMs = 30_000;
const messageIdPattern = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** @throws AgentError, ConnectionError or BrokerError with one sentence; then everything is as before. */
export async function startRun(options: RunOptions): Promise<Run> {
  const { cwd, mode, paths, tell, isTraced } = options;
  /** What a broker that is silent would still hold up is given up at the end. */
  const over = new AbortController();
  const http = options.http.endingWith(over.signal);
  const undo: (() => unknown)[] = [() => over.abort()];
  const client = createClient(http.send);
  const broker = createBrokerCalls(http);
  const now = (): number => Date.now();
  let agent: Agent | null = null;
  try {
    const exitPaths = onExit(() => agent?.restoreSync());
    undo.push(() => exitPaths.release());
    const kind = await loadAgent(options.kind);
    const env = agentEnvironment(options.env);
    const first = await readFresh();
    const { name } = first.briefing;
    const capabilities = await kind.capabilities({ cwd, env, mode, args: options.args });

    const log = await openRunLog(paths.logsDir, name);
    undo.push(() => log.close());
    // What does not let itself be removed holds up no start.
    for (const path of abandonedFolders(paths.runsDir, 'run'))
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    const runFolder = makeOwnedFolder(paths.runsDir, 'run');
    undo.push(() => rm(runFolder, { recursive: true, force: true }));
    const state = await openRunState(paths.runsDir, http.url, name);
    const uploads = await startActivityUploads({
      folder: paths.runsDir,
      url: http.url,
      member: name,
      send: http.send,
      log: log.write,
    });
    undo.push(() => uploads.close(0));
    tell(
      `${name} of "${first.briefing.team.name}" at ${http.url} · ${capabilities.version} · log ${log.path}`,
    );
    log.write('started', {
      member: name,
      agent: capabilities.version,
      cwd,
      mode,
      unattended: options.isUnattended,
    });
    if (options.isUnattended) tell('unattended: the agent asks nobody for permission');

    // Busy: a turn is under way, or an exchange with the model is.
    const busy = createBusyReport(
      (isBusy) => client.call('reportBusy', { body: { busy: isBusy } }),
      (error) => log.write('busy was not reported', { reason: String(error) }),
    );
    let isTurn = false;
    let inFlight = 0;
    let isWorking = false;
    function showBusy(): void {
      const works = isTurn || inFlight > 0;
      busy.set(works);
      if (works === isWorking) return;
      isWorking = works;
      options.onWork?.(works);
    }

    const own = await kind.upstream({ cwd, env });
    const upstream =
      own === null || options.modelUrl === null ? own : { url: options.modelUrl, api: own.api };
    const gateway =
      upstream === null || !isTraced
        ? null
        : await startModelGateway({
            upstream,
            onExchange: uploads.add,
            onOpaque: uploads.add,
            onFlight(count) {
              inFlight = count;
              showBusy();
            },
            now,
            log: log.write,
            env,
          });
    if (gateway !== null) undo.push(() => gateway.close());
    if (isTraced && upstream === null)
      tell('this login of the agent cannot be redirected: its exchanges with the model are not recorded');
    const proxy = options.tracesHttp
      ? await startTraceProxy({ onOpaque: uploads.add, now, log: log.write, env })
      : null;
    if (proxy !== null) undo.push(() => proxy.close());

    const tracker = createObjectivesTracker({
      first,
      read: readFresh,
      onChanged: () => bridge.toolsChanged(),
      onError: (error) => log.write('the briefing was not read', { reason: String(error) }),
    });
    undo.push(() => tracker.stop());
    let slugById = new Map<string, string>();
    async function readChannels(): Promise<void> {
      const { channels } = await client.call('channels', {});
      slugById = new Map(channels.map(({ id, slug }) => [id, slug]));
    }
    await readChannels();

    const delivery = createDelivery({
      state,
      offer: capabilities.hasChannel
        ? ({ messageIds, text }) => bridge.channel(text, { message_ids: messageIds.join(' ') })
        : null,
      surroundings: () => ({
        self: name,
        roleOf: (member) => tracker.briefing.teammates.find((one) => one.name === member)?.role.title,
        slugOf: (id) => slugById.get(id),
        objectives: tracker.briefing.openObjectives,
      }),
      bring: capabilities.canWake
        ? async (bundle) => {
            if (agent === null) throw new AgentError('the agent has not started');
            await (isTurn ? agent.steer(bundle) : agent.wake(bundle));
          }
        : null,
      report: async (id, evidence, at) => {
        await client.call('reportEvidence', { params: { id }, body: { state: evidence, at } });
      },
      now,
      log: log.write,
    });

    const toolbox = createToolbox({
      caller: () => ({ briefing: tracker.briefing, originated: tracker.originated }),
      context: { broker, touch: () => tracker.touch(true) },
      now,
      unread: capabilities.canWake
        ? null
        : (besides) => delivery.unread - besides.filter(delivery.waits).length,
      onCall(tool, input) {
        log.write('tool call', { tool });
        const named = JSON.stringify(input ?? null).match(messageIdPattern) ?? [];
        const reached = [...new Set(named)].filter(delivery.mayHaveReached);
        if (reached.length > 0) delivery.onEvidence(reached, 'answered');
      },
      onCarried: (ids) => delivery.onEvidence(ids.filter(delivery.knows), 'in_context'),
      shorten: (text) => shortenResult(runFolder, text),
    });
    const hasTools = Promise.withResolvers<void>();
    const bridge = await startBridgeServer({
      instructions: () => instructionsOf(tracker.briefing, capabilities.canWake),
      list: toolbox.list,
      onListed: hasTools.resolve,
      call: toolbox.call,
      onAnswered: toolbox.sent,
      take: createHookTake({ ...delivery, log: log.write }),
      onInitialized(client) {
        log.write('the agent speaks MCP', { client });
        // What could not be shown before there was a channel.
        if (capabilities.hasChannel) delivery.setReady(true);
      },
      onGone: () => log.write('the bridge is gone'),
    });
    undo.push(() => bridge.close());

    const prepared = await kind.prepare({
      cwd,
      args: options.args,
      env: { ...env, ...(gateway !== null && directToLoopback(env)), ...proxy?.env },
      mode,
      isUnattended: options.isUnattended,
      capturesOutput: options.capturesOutput ?? false,
      bridge: {
        ...options.bridgeCommand,
        env: { [socketVariable]: bridge.socketPath, [keyVariable]: bridge.key },
      },
      modelUrl: gateway?.url ?? options.modelUrl,
      instructions: instructionsOf(first.briefing, capabilities.canWake),
      member: name,
      runFolder,
      events: {
        onEvidence: delivery.onEvidence,
        onTurn(isActive) {
          if (isTurn === isActive) return;
          isTurn = isActive;
          log.write(isActive ? 'turn begins' : 'turn ends');
          showBusy();
        },
        onTranscript(line) {
          log.write('transcript', { line });
          options.onTranscript(line);
        },
      },
      log: log.write,
    });
    agent = prepared;
    undo.push(() => prepared.restore());

    await prepared.start();
    log.write('agent started', { pid: prepared.pid });
    const markers = tracker.briefing.openObjectives.map(({ id }) => id);
    for (const objectiveId of markers) uploads.add({ kind: 'objective_open', ts: now(), objectiveId });

    // Presence is tied to the agent's life: the stream is open as long as the agent lives.
    const leaving = new AbortController();
    const following = followStream({
      http,
      client,
      name,
      state,
      delivery,
      touch: tracker.touch,
      onChannels: () => void readChannels().catch(() => undefined),
      onRefused: () => void prepared.stop(),
      signal: leaving.signal,
      now,
      log: log.write,
      tell,
    });
    // Woken before it has the team's tools, it would have to do without them: its bridge may be slow to start.
    const late = setTimeout(() => {
      log.write('the agent has not asked for the tools; it gets its messages all the same');
      hasTools.resolve();
    }, toolsPatienceMs);
    if (!capabilities.canWake) hasTools.resolve();
    void hasTools.promise.then(() => {
      clearTimeout(late);
      if (stopping === null) delivery.setReady(true);
    });

    let stopping: Promise<void> | null = null;
    async function finish(): Promise<void> {
      hasTools.resolve();
      delivery.setReady(false);
      await prepared.stop();
      await prepared.restore().catch((error: unknown) => {
        // The rest of the run ends in order all the same; the next one finds what is left.
        const reason = reasonOf(error);
        log.write('not everything was restored', { reason });
        tell(`not everything is as before the run (${reason}): the next run in this folder tries again`);
      });
      for (const { id } of tracker.briefing.openObjectives)
        uploads.add({ kind: 'objective_close', ts: now(), objectiveId: id, result: 'runner_shutdown' });
      leaving.abort();
      tracker.stop();
      await following;
      await Promise.allSettled([
        busy.stop(),
        delivery.settle(),
        proxy?.close(),
        gateway?.close(),
        bridge.close(),
      ]);
      const dropped = await uploads.close(uploadAtExitMs);
      if (dropped !== null) tell(dropped);
      // What cannot be removed now is swept at the next start.
      await rm(runFolder, { recursive: true, force: true }).catch(() => undefined);
      log.write('ended');
      await log.close();
      exitPaths.release();
      over.abort();
    }
    const stop = (): Promise<void> => {
      stopping ??= finish();
      return stopping;
    };
    const ended = prepared.exited.then(async (how) => {
      log.write('agent ended', how);
      await stop();
      return how;
    });
    let endedBy: NodeJS.Signals | null = null;
    function end(signal: NodeJS.Signals, isEarly = false): void {
      // In a terminal Ctrl+C is for the agent, which is in front.
      if (signal === 'SIGINT' && mode === 'terminal' && !isEarly) return;
      endedBy ??= signal;
      void stop();
    }
    exitPaths.started(end);
    return {
      member: name,
      agent: capabilities.version,
      wakes: capabilities.canWake,
      pid: prepared.pid,
      logPath: log.path,
      get endedBy() {
        return endedBy;
      },
      end,
      stop,
      ended,
    };
  } catch (error) {
    for (const step of undo.reverse()) await Promise.resolve(step()).catch(() => undefined);
    throw error;
  }

  /** The briefing, and what of the agent's own making is open where that decides about its tools (D17). */
  async function readFresh(): Promise<Fresh> {
    const briefing = await client.call('briefing', {});
    const holds = (leaf: string): boolean => (briefing.permissions as readonly string[]).includes(leaf);
    if (holds('objectives.cancel') && holds('objectives.watch')) return { briefing, originated: new Set() };
    const originated = new Set<string>();
    for (const status of ['active', 'blocked'] as const) {
      const { objectives } = await client.call('objectives', { query: { status } });
      for (const one of objectives) if (one.originator === briefing.name) originated.add(one.id);
    }
    return { briefing, originated };
  }
}
