/** Keys that move between messages, and act on the one that has the focus. */
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import { limits } from '#protocol/limits.ts';
import type { Message } from '#protocol/message.ts';
import { type ScreenCommand, useScreenCommands } from '../../commands/screen-commands.ts';
import { isChangeable } from '../../data/message-changes.rules.ts';
import type { MessageActions } from './use-message-actions.ts';

export interface MessageKeysOptions {
  /** Oldest first. */
  messages: readonly Message[];
  actions: MessageActions;
  self: string;
  /** The element that scrolls. */
  scroller: RefObject<HTMLDivElement | null>;
  /** Returns the position of the last message on the screen. */
  lastInSight(): number;
  /** Brings a message onto the screen. */
  scrollTo(index: number): void;
}

const maxFrames = 10;

const focusedId = (): string | null =>
  document.activeElement?.closest('[data-message]')?.getAttribute('data-message') ?? null;

/** Waits for the message to be rendered, because only what is near the screen is. */
function focusMessage(scroller: HTMLElement, id: string, frames = maxFrames): void {
  const row = scroller.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`);
  if (row !== null) row.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusMessage(scroller, id, frames - 1));
}

/** Returns what handles the arrow keys of the log. */
export function useMessageKeys(options: MessageKeysOptions): (event: KeyboardEvent) => void {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const { move, commands } = useMemo(() => {
    function moveBy(step: number): void {
      const { messages, scroller, lastInSight, scrollTo } = latest.current;
      const at = messages.findIndex(({ id }) => id === focusedId());
      const next = at < 0 ? lastInSight() : Math.min(messages.length - 1, Math.max(0, at + step));
      const message = messages[next];
      if (message === undefined || scroller.current === null) return;
      scrollTo(next);
      focusMessage(scroller.current, message.id);
    }
    const own = (change: (message: Message) => void) => (message: Message) => {
      const { self } = latest.current;
      if (isChangeable(message, self, Date.now(), limits.message.changeMs)) change(message);
    };
    const withText = (use: MessageAct): MessageAct =>
      use === null ? null : (message) => message.deleted === undefined && use(message);
    const act = (
      id: string,
      title: string,
      keys: string,
      choose: (actions: MessageActions) => MessageAct,
    ) => ({
      id: `message-${id}`,
      title,
      keys,
      run() {
        const wanted = focusedId();
        const message = latest.current.messages.find((one) => one.id === wanted);
        // A notice of the broker has no actions.
        if (message !== undefined && message.data.event === undefined)
          choose(latest.current.actions)?.(message);
      },
    });
    const found: readonly ScreenCommand[] = [
      { id: 'message-next', title: 'Next message', keys: 'j', isRepeated: true, run: () => moveBy(1) },
      {
        id: 'message-previous',
        title: 'Previous message',
        keys: 'k',
        isRepeated: true,
        run: () => moveBy(-1),
      },
      act('answer', 'Answer the message', 'r', ({ answer }) => withText(answer)),
      act('quote', 'Quote the message', 'q', ({ quote }) => withText(quote)),
      act('text', 'Copy the text of the message', 't', ({ copyText }) => withText(copyText)),
      act('link', 'Copy a link to the message', 'l', ({ copyLink }) => copyLink),
      act('objective', 'Make an objective from the message', 'o', ({ makeObjective }) =>
        withText(makeObjective),
      ),
      act('edit', 'Edit your message', 'e', ({ edit }) => own(edit)),
      act('delete', 'Delete your message', 'd', ({ remove }) => own(remove)),
      act('unread', 'Mark unread from the message on', 'u', ({ markUnread }) => markUnread),
    ];
    return { move: moveBy, commands: found };
  }, []);
  useScreenCommands(commands, options.scroller);
  return (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // Code and the like scroll by themselves.
    if (step === undefined || (event.target as Element).closest('[role=group]') !== null) return;
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move(step);
  };
}

type MessageAct = ((message: Message) => unknown) | null;
