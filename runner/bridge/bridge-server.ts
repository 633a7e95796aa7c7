/**
 * The runner's side of the bridge: a Unix socket or named pipe that only this person can reach, with a key of
 * the run's own. One bridge at a time; it may reconnect after it is gone.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import type { HookAnswer, HookMoment } from '../agents/agent-hooks.ts';
import { abandonedFolders, makeOwnedFolder } from '../process/owned-folder.ts';
import { type FromRunner, keyVariable, socketVariable } from './bridge-protocol.ts';
import { FromBridge } from './from-bridge.ts';
import { createLineChannel, type LineChannel } from './line-channel.ts';

/** An answer on its way to the agent through one of its hooks. */
export interface Handover {
  answer: HookAnswer;
  /** Called once: whether the hook wrote the answer where the agent reads it; false if it ended before. */
  finish(isTaken: boolean): void;
}

export interface BridgeHandlers {
  /** The server instructions that MCP passes to the model. */
  instructions(): string;
  list(): unknown;
  /** The messages that wait, for the agent's program: a text without their bodies. Without it, there is no inbox. */
  inbox?(): Promise<string>;
  /** The answer of `list` was handed to a connected bridge. */
  onListed?(): void;
  /** The signal aborts when the agent no longer waits for the answer. */
  call(name: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  /** Whether the answer of `call` was handed to a connected bridge whose agent still waits for it. */
  onAnswered?(result: unknown, isSent: boolean): void;
  /** A hook of the agent asks for waiting messages; null for none. `gone`: its process has ended. */
  handOver(moment: HookMoment, isAgain: boolean, gone: AbortSignal): Promise<Handover | null>;
  /** The agent now speaks MCP with the bridge. */
  onInitialized(client: string): void;
  onGone(): void;
}

export interface BridgeServer {
  readonly socketPath: string;
  readonly key: string;
  /** The variables by which a bridge finds this server. */
  readonly env: Readonly<Record<string, string>>;
  readonly isConnected: boolean;
  toolsChanged(): void;
  inboxChanged(): void;
  /** Passes a text to the agent's channel; false if the agent does not speak MCP with a bridge (yet). */
  channel(content: string, meta: Record<string, string>): boolean;
  close(): Promise<void>;
}

const helloTimeoutMs = 5000;
/** Hooks come and go, one call each, beside the bridge. */
const maxHooks = 8;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export async function startBridgeServer(handlers: BridgeHandlers): Promise<BridgeServer> {
  const key = randomBytes(32).toString('base64url');
  const isWindows = process.platform === 'win32';
  // A socket's path may have at most about 100 bytes, so this uses the shortest private folder.
  for (const path of isWindows ? [] : abandonedFolders(tmpdir(), 'svc'))
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  const folder = isWindows ? null : makeOwnedFolder(tmpdir(), 'svc');
  const socketPath =
    folder === null ? `\\\\.\\pipe\\svc-${randomBytes(12).toString('hex')}` : join(folder, 's');
  const sockets = new Set<Socket>();
  let bridge: LineChannel | null = null;
  /** The bridge, once it can pass on notifications. */
  let speaking: LineChannel | null = null;
  let hooks = 0;

  const isKey = (given: string): boolean => timingSafeEqual(digest(given), digest(key));

  function admit(socket: Socket, channel: LineChannel, isHook: boolean): boolean {
    if (isHook) {
      if (hooks >= maxHooks) return false;
      hooks += 1;
      socket.once('close', () => {
        hooks -= 1;
      });
      return true;
    }
    if (bridge !== null) return false;
    bridge = channel;
    socket.once('close', () => {
      bridge = null;
      speaking = null;
      handlers.onGone();
    });
    return true;
  }

  async function answer(
    channel: LineChannel,
    id: number,
    work: () => unknown,
    onDone?: (result: unknown, isSent: boolean) => void,
  ): Promise<void> {
    let reply: FromRunner;
    try {
      reply = { id, result: await work() };
    } catch (error) {
      reply = { id, error: reasonOf(error) };
    }
    try {
      const isSent = channel.send(reply);
      if ('result' in reply) onDone?.(reply.result, isSent);
    } catch {
      if ('result' in reply) onDone?.(reply.result, false);
      channel.send({
        id,
        error: 'the result is too long. Request less, for example with a smaller limit.',
      } satisfies FromRunner);
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    let handover: Handover | null = null;
    function finishHandover(isTaken: boolean): void {
      handover?.finish(isTaken);
      handover = null;
    }
    const gone = new AbortController();
    async function nextAnswer(moment: HookMoment, isAgain: boolean): Promise<HookAnswer | null> {
      const next = await handlers.handOver(moment, isAgain, gone.signal);
      finishHandover(false);
      handover = next;
      if (socket.destroyed) finishHandover(false);
      return next?.answer ?? null;
    }
    socket
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(socket);
        gone.abort();
        finishHandover(false);
        for (const call of callsById.values()) call.abort();
      });
    let isAdmitted = false;
    const callsById = new Map<number, AbortController>();
    async function answerCall(channel: LineChannel, id: number, name: string, input: unknown): Promise<void> {
      const ending = new AbortController();
      const { signal } = ending;
      callsById.set(id, ending);
      const onDone = (result: unknown, isSent: boolean): void =>
        handlers.onAnswered?.(result, isSent && !signal.aborted);
      await answer(channel, id, () => handlers.call(name, input, signal), onDone);
      callsById.delete(id);
    }
    const late = setTimeout(() => {
      if (!isAdmitted) socket.destroy();
    }, helloTimeoutMs).unref();
    const channel = createLineChannel(socket, (value) => {
      const read = FromBridge.safeParse(value);
      if (!read.success) {
        socket.destroy();
        return;
      }
      const said = read.data;
      if (!isAdmitted) {
        if (!('key' in said) || !isKey(said.key)) {
          socket.destroy();
          return;
        }
        clearTimeout(late);
        if (!admit(socket, channel, said.client === 'hook')) {
          channel.send({
            refused:
              'another bridge already serves this run, and each run has only one. Stop the other one, or start another run.',
          } satisfies FromRunner);
          channel.end();
          return;
        }
        isAdmitted = true;
        channel.send({
          welcome: true,
          instructions: handlers.instructions(),
          hasInbox: handlers.inbox !== undefined,
        } satisfies FromRunner);
        return;
      }
      if ('event' in said && said.event === 'cancelled') callsById.get(said.call)?.abort();
      else if ('event' in said) {
        if (channel === bridge) speaking = channel;
        handlers.onInitialized(said.client);
      } else if ('method' in said) {
        if (said.method === 'list')
          void answer(
            channel,
            said.id,
            () => handlers.list(),
            (_, isSent) => isSent && handlers.onListed?.(),
          );
        else if (said.method === 'inbox') void answer(channel, said.id, () => handlers.inbox?.() ?? '');
        else if (said.method === 'take')
          void answer(channel, said.id, () => nextAnswer(said.moment, said.isAgain));
        else if (said.method === 'taken') {
          finishHandover(true);
          void answer(channel, said.id, () => true);
        } else void answerCall(channel, said.id, said.name, said.input);
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  if (!isWindows) await chmod(socketPath, 0o600);

  return {
    socketPath,
    key,
    env: { [socketVariable]: socketPath, [keyVariable]: key },
    get isConnected() {
      return bridge !== null;
    },
    toolsChanged: () => bridge?.send({ event: 'tools changed' } satisfies FromRunner),
    inboxChanged: () => bridge?.send({ event: 'inbox changed' } satisfies FromRunner),
    channel(content, meta) {
      speaking?.send({ event: 'channel', content, meta } satisfies FromRunner);
      return speaking !== null;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (folder !== null) await rm(folder, { recursive: true, force: true });
    },
  };
}
