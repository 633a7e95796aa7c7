/** The bridge's side of the socket: it asks the runner, and reconnects after the connection broke. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type FromRunner, type Question, readFromRunner } from './bridge-protocol.ts';
import type { FromBridge } from './from-bridge.ts';
import { createLineChannel, type LineChannel } from './line-channel.ts';

export interface RunnerConnection {
  readonly instructions: string;
  /** Whether the run has an inbox to read. */
  readonly hasInbox: boolean;
  ask(
    request: Question,
    /** Tells the runner when the answer is no longer waited for. */
    signal?: AbortSignal,
  ): Promise<unknown>;
  say(event: { event: 'initialized'; client: string }): void;
  close(): void;
}

export interface RunnerConnectionOptions {
  socketPath: string;
  key: string;
  /** `hook`: comes for one question, beside the bridge. */
  client: 'bridge' | 'hook';
  onToolsChanged?: () => void;
  onInboxChanged?: () => void;
  onChannel?: (content: string, meta: Record<string, string>) => void;
  /** The runner has ended. */
  onLost?: () => void;
}

const askTimeoutMs = 120_000;
const connectTimeoutMs = 3000;
const retryMs = 100;

class Refused extends Error {}

/** A hook that stays waits as long as the agent is idle. */
function patienceOf(request: Question, onLate: () => void): NodeJS.Timeout | undefined {
  const stays = request.method === 'take' && request.moment === 'wake';
  return stays ? undefined : setTimeout(onLate, askTimeoutMs);
}

const tooLong =
  'the arguments are longer than 4 MiB. Save the content as a file in your working folder, and pass its path to fs_write as fromFile.';

/** @throws Error with one sentence if the runner cannot be reached, or refuses. */
export async function connectToRunner(options: RunnerConnectionOptions): Promise<RunnerConnection> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let nextId = 1;
  let channel: LineChannel | null = null;
  let socket: Socket | null = null;
  let instructions = '';
  let hasInbox = false;
  let isClosed = false;
  let said: FromBridge | null = null;

  function handleFrame(value: FromRunner): void {
    if ('event' in value) {
      if (value.event === 'tools changed') options.onToolsChanged?.();
      else if (value.event === 'inbox changed') options.onInboxChanged?.();
      else options.onChannel?.(value.content, value.meta);
    } else if ('id' in value) {
      const call = waiting.get(value.id);
      waiting.delete(value.id);
      if ('error' in value) call?.reject(new Error(value.error));
      else call?.resolve(value.result);
    }
  }

  function open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const opened = connect(options.socketPath);
      let isWelcome = false;
      opened.once('connect', () => lines.send({ key: options.key, client: options.client }));
      opened.on('error', () => undefined);
      opened.once('close', () => {
        if (!isWelcome)
          reject(new Error('the runner does not answer. Check whether "muster run" is still running.'));
        else if (!isClosed) void recover();
      });
      const lines = createLineChannel(opened, (raw) => {
        const read = readFromRunner(raw);
        if (read === null) opened.destroy();
        else if ('refused' in read) reject(new Refused(read.refused));
        else if ('welcome' in read) {
          // Closed while it was reconnecting.
          if (isClosed) opened.destroy();
          isWelcome = true;
          ({ instructions, hasInbox } = read);
          channel = lines;
          socket = opened;
          resolve();
        } else handleFrame(read);
      });
    });
  }

  /** A refusal may be due to a bridge of the same agent that is just ending. */
  async function openSoon(): Promise<void> {
    // An agent waits for its hook.
    const giveUpAt = performance.now() + (options.client === 'hook' ? 0 : connectTimeoutMs);
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (isClosed || performance.now() > giveUpAt) throw error;
        await pause(retryMs);
      }
    }
  }

  async function recover(): Promise<void> {
    channel = null;
    for (const { reject } of waiting.values())
      reject(new Error('the connection to the runner was lost. Try again.'));
    waiting.clear();
    try {
      await openSoon();
      if (said !== null) (channel as LineChannel | null)?.send(said);
      options.onToolsChanged?.();
    } catch {
      if (!isClosed) options.onLost?.();
    }
  }

  await openSoon();
  return {
    get instructions() {
      return instructions;
    },
    get hasInbox() {
      return hasInbox;
    },
    ask(request, signal) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        if (channel === null) {
          reject(new Error('the runner does not answer. Check whether "muster run" is still running.'));
          return;
        }
        const timer = patienceOf(request, () => {
          waiting.delete(id);
          reject(new Error(`the runner did not answer within ${askTimeoutMs / 1000} s. Try again.`));
        });
        const cancel = () => channel?.send({ event: 'cancelled', call: id } satisfies FromBridge);
        signal?.addEventListener('abort', cancel, { once: true });
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancel);
        };
        waiting.set(id, {
          resolve: (value) => {
            done();
            resolve(value);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        });
        try {
          channel.send({ id, ...request });
        } catch (error) {
          waiting.delete(id);
          done();
          reject(error instanceof RangeError ? new Error(tooLong) : (error as Error));
        }
      });
    },
    say(event) {
      said = event;
      channel?.send(event);
    },
    close() {
      isClosed = true;
      socket?.end();
      socket?.destroySoon();
    },
  };
}
