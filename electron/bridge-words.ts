/** One word of the bridge: checked for who says it and for what it says, answered without a throw (design "Renderer and security"). */
import type { IpcMainInvokeEvent, WebContents } from 'electron';
import { z } from 'zod';
import type { BridgeReply } from './bridge.ts';
import { isTrustedSender } from './console-origin.rules.ts';

/** A sentence for the page. */
export class BridgeRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface BridgeWordsDeps {
  ipc: { handle(channel: string, listener: (event: IpcMainInvokeEvent, argument: unknown) => unknown): void };
  isOwnWindow(contents: WebContents): boolean;
  log: { warn(details: object, message: string): void };
}

/** Answers on this channel with what `run` answers; `schema` is what the page may say. */
export type BridgeWord = <T>(
  channel: string,
  schema: z.ZodType<T>,
  run: (argument: T, sender: WebContents) => unknown,
) => void;

export function createBridgeWords({ ipc, isOwnWindow, log }: BridgeWordsDeps): BridgeWord {
  return (channel, schema, run) => {
    ipc.handle(channel, async (event, argument): Promise<BridgeReply<unknown>> => {
      const frame = event.senderFrame;
      const sender = {
        isOwnWindow: isOwnWindow(event.sender),
        isMainFrame: frame !== null && frame.parent === null,
        url: frame?.url ?? null,
      };
      if (!isTrustedSender(sender))
        return { ok: false, code: 'forbidden', message: 'this page may not use the bridge' };
      const parsed = schema.safeParse(argument);
      if (!parsed.success) return { ok: false, code: 'bad_request', message: z.prettifyError(parsed.error) };
      try {
        return { ok: true, value: await run(parsed.data, event.sender) };
      } catch (error) {
        if (error instanceof BridgeRefusal) return { ok: false, code: error.code, message: error.message };
        log.warn({ err: error, channel }, 'the bridge could not answer');
        return {
          ok: false,
          code: 'unavailable',
          message: 'the broker did not answer; its log has the cause',
        };
      }
    });
  };
}
