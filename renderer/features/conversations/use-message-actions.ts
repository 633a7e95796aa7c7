/** The actions on a message. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import type { Message } from '#protocol/message.ts';
import { useBroker } from '../../data/broker.tsx';
import { useMay } from '../../data/self.tsx';
import { copyText as copyToClipboard } from '../../ui/copy-text.ts';
import { openingLayer } from '../../ui/layers.ts';
import { toast, toastError } from '../../ui/toast.ts';
import { quoteInMarkdown } from './message-text.rules.ts';
import { useReplying } from './replying.ts';
import { tellThread } from './thread-news.ts';

type Act = (message: Message) => void;

export interface MessageActions {
  /** Null if the member may not post here. */
  answer: Act | null;
  quote: Act | null;
  /** As it was written. */
  copyText: Act;
  copyLink: Act;
  /** Null if the member may not create objectives. */
  makeObjective: Act | null;
  markUnread: Act;
  /** For messages that the member may change. */
  edit: Act;
  remove: Act;
}

export interface MessageHandlers {
  onMarkUnread: Act;
  onChange: (kind: 'edit' | 'delete', message: Message) => void;
}

/** Returns the address of a message in this console. */
export function useMessageUrl(scope: string): (message: Message) => string {
  const { transport } = useBroker();
  const router = useRouter();
  return (message) =>
    `${transport.origin}${router.buildLocation({ to: '/app/conversations/$scope', params: { scope }, search: { message: message.id } }).href}`;
}

/** Returns the same object until one of the rights changes. */
export function useMessageActions(
  scope: string,
  canPost: boolean,
  handlers: MessageHandlers,
): MessageActions {
  const [, answer] = useReplying(scope);
  const navigate = useNavigate();
  const mayCreate = useMay('createObjective');
  const urlOf = useMessageUrl(scope);
  const latest = useRef({ ...handlers, urlOf });
  useEffect(() => {
    latest.current = { ...handlers, urlOf };
  });
  return useMemo(
    () => ({
      answer: canPost ? answer : null,
      quote: canPost ? (message) => tellThread('quote', scope, quoteInMarkdown(message)) : null,
      copyLink(message) {
        copyToClipboard(latest.current.urlOf(message)).then(() => toast('The link was copied'), toastError);
      },
      copyText({ body }) {
        copyToClipboard(body).then(() => toast('The text was copied'), toastError);
      },
      makeObjective: mayCreate
        ? ({ id }) =>
            void navigate({ to: '.', search: (search) => ({ ...search, make: id }), ...openingLayer })
        : null,
      markUnread: (message) => latest.current.onMarkUnread(message),
      edit: (message) => latest.current.onChange('edit', message),
      remove: (message) => latest.current.onChange('delete', message),
    }),
    [scope, canPost, answer, mayCreate, navigate],
  );
}
