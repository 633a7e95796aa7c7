/** The actions of a message. With touch, they are in a menu. */
import { Copy, Ellipsis, Link2, MailOpen, Pencil, Reply, Target, TextQuote, Trash2 } from 'lucide-react';
import { type ReactNode, startTransition, useEffect, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import type { Message } from '#protocol/message.ts';
import { isChangeable } from '../../data/message-changes.rules.ts';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Menu } from '../../ui/menu.tsx';
import { useNow } from '../../ui/time.tsx';
import { Receipts } from './receipts.tsx';
import type { MessageActions } from './use-message-actions.ts';

interface Offer {
  label: string;
  keys: string;
  icon: ReactNode;
  act: (message: Message) => void;
  isDanger?: boolean;
}

/** Answering comes first. */
function offersOf(
  { answer, quote, copyText, copyLink, makeObjective, markUnread, edit, remove }: MessageActions,
  { from, deleted }: Message,
  canChange: boolean,
): Offer[] {
  const hasText = deleted === undefined;
  const offers: (Omit<Offer, 'act'> & { act: Offer['act'] | null })[] = [
    { label: `Answer ${from}`, keys: 'r', icon: <Reply />, act: hasText ? answer : null },
    { label: 'Quote', keys: 'q', icon: <TextQuote />, act: hasText ? quote : null },
    { label: 'Copy text', keys: 't', icon: <Copy />, act: hasText ? copyText : null },
    { label: 'Copy link', keys: 'l', icon: <Link2 />, act: copyLink },
    { label: 'Make an objective', keys: 'o', icon: <Target />, act: hasText ? makeObjective : null },
    { label: 'Mark unread from here', keys: 'u', icon: <MailOpen />, act: markUnread },
    { label: 'Edit', keys: 'e', icon: <Pencil />, act: canChange ? edit : null },
    { label: 'Delete', keys: 'd', icon: <Trash2 />, act: canChange ? remove : null, isDanger: true },
  ];
  return offers.flatMap(({ act, ...offer }) => (act === null ? [] : { ...offer, act }));
}

/** A message gets its actions after this time, ms. One that only passes by in a burst never does. */
const settledMs = 300;

/** Whether the component has been there for a while. The change is drawn piece by piece. */
function useIsSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setSettled(true)), settledMs);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}

interface MessageToolbarProps {
  message: Message;
  isOwn: boolean;
  actions: MessageActions;
}

/** The actions are most of the cost of a message, so that they follow it. */
export function MessageToolbar(props: MessageToolbarProps) {
  if (useIsSettled()) return <Tools {...props} />;
  // With touch, the buttons of 44 px each and their border have their place from the beginning, so that the text does not move.
  return <div className={cx('hidden shrink-0 pointer-coarse:block', props.isOwn ? 'w-22.5' : 'w-11.5')} />;
}

function Tools({ message, isOwn, actions }: MessageToolbarProps) {
  const now = useNow();
  const canChange = isOwn && isChangeable(message, message.from, now, limits.message.changeMs);
  const offers = offersOf(actions, message, canChange);
  return (
    <div
      role="toolbar"
      data-actions
      aria-label={`Actions for the message of ${message.from}`}
      className="absolute -top-2.5 right-4 z-10 flex rounded-md border border-line bg-raised opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-aria-expanded:opacity-100 has-data-popup-open:opacity-100 pointer-coarse:static pointer-coarse:border-transparent pointer-coarse:bg-transparent pointer-coarse:opacity-100"
    >
      {offers.map(({ label, keys, icon, act }) => (
        <IconButton
          key={keys}
          label={label}
          shortcut={keys}
          className="size-6! pointer-coarse:hidden"
          onClick={() => act(message)}
        >
          {icon}
        </IconButton>
      ))}
      <Menu
        trigger={
          <IconButton
            label="More actions"
            data-all-actions
            className="size-6! hidden! pointer-coarse:inline-flex!"
          >
            <Ellipsis />
          </IconButton>
        }
        items={offers.map(({ label, icon, act, isDanger = false }) => ({
          ...{ label, icon, isDanger },
          onSelect: () => act(message),
        }))}
      />
      {isOwn ? <Receipts messageId={message.id} /> : null}
    </div>
  );
}
