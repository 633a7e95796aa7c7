/**
 * Serves the bridge in the main process. Each call passes the same checks in the same order (the sender, the
 * argument, the right) and gets a reply, never an exception.
 */
import type { IpcMainInvokeEvent, WebContents } from 'electron';
import { z } from 'zod';
import { BrokerError } from '#protocol/errors.ts';
import {
  type ArgumentOf,
  type BridgeReply,
  bridgeCalls,
  type CallName,
  channelOf,
  type EventName,
  type NewsOf,
  type ReplyOf,
} from './bridge.ts';
import { bridgeSchemas } from './bridge-schemas.ts';
import { isTrustedSender } from './console-origin.rules.ts';
import { Refusal } from './refusal.ts';

export interface Caller {
  page: WebContents;
}
/** A caller whose member holds `members.manage`. */
export interface ManagerCaller extends Caller {
  /** The name of the logged-in member. */
  member: string;
}

type CallerOf<Name extends CallName> = (typeof bridgeCalls)[Name]['right'] extends 'own page'
  ? Caller
  : ManagerCaller;

/**
 * One handler per call of the bridge. To refuse, a handler throws `Refusal` or `BrokerError`; the page gets
 * its message.
 */
export type BridgeHandlers = {
  [Name in CallName]: (
    argument: ArgumentOf<Name>,
    caller: CallerOf<Name>,
  ) => ReplyOf<Name> | Promise<ReplyOf<Name>>;
};

export interface ServeBridgeDeps {
  ipc: { handle(channel: string, listener: (event: IpcMainInvokeEvent, argument: unknown) => unknown): void };
  handlers: BridgeHandlers;
  isOwnPage(contents: WebContents): boolean;
  /**
   * Returns the name of the member who is logged in. @throws Refusal or BrokerError without members.manage.
   */
  requireManager(): Promise<string>;
  log: { warn(details: object, message: string): void };
}

export function serveBridge({ ipc, handlers, isOwnPage, requireManager, log }: ServeBridgeDeps): void {
  const isTrusted = ({ sender, senderFrame: frame }: IpcMainInvokeEvent): boolean =>
    isTrustedSender({
      isOwnWindow: isOwnPage(sender),
      isMainFrame: frame !== null && frame.parent === null,
      url: frame?.url ?? null,
    });

  async function callerOf<Name extends CallName>(name: Name, page: WebContents): Promise<CallerOf<Name>> {
    const caller =
      bridgeCalls[name].right === 'own page' ? { page } : { page, member: await requireManager() };
    return caller as CallerOf<Name>;
  }

  function serve<Name extends CallName>(name: Name): void {
    const schema: z.ZodType<ArgumentOf<Name>> = bridgeSchemas[name];
    ipc.handle(channelOf(name), async (event, argument): Promise<BridgeReply<unknown>> => {
      if (!isTrusted(event)) return refused('forbidden', 'this page may not use the bridge');
      const parsed = schema.safeParse(argument);
      if (!parsed.success) return refused('bad_request', z.prettifyError(parsed.error));
      try {
        return { ok: true, value: await handlers[name](parsed.data, await callerOf(name, event.sender)) };
      } catch (error) {
        if (error instanceof Refusal || error instanceof BrokerError)
          return refused(error.code, error.message);
        log.warn({ err: error, call: name }, 'the bridge could not answer');
        return refused('unavailable', 'the broker did not answer; see its log');
      }
    });
  }

  for (const name of Object.keys(bridgeCalls) as CallName[]) serve(name);
}

/** Sends an event of the bridge to a page that may be gone. */
export function sendNews<Name extends EventName>(page: WebContents, name: Name, news: NewsOf<Name>): void {
  if (!page.isDestroyed()) page.send(channelOf(name), news);
}

const refused = (code: string, message: string): BridgeReply<never> => ({ ok: false, code, message });
