/** Sends a message and adds it to the thread. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isRefusedFor } from '#protocol/errors.ts';
import type { Message } from '#protocol/message.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useLiveState } from '../../data/live.tsx';
import { apply } from '../../data/make-change.ts';
import { randomId } from '../../data/random-id.ts';
import { type ThreadPages, withMessage } from '../../data/thread-pages.ts';
import { Unreachable } from '../../data/transport.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { sentenceOf } from '../../ui/sentence-of.ts';
import { toast } from '../../ui/toast.ts';
import type { Attached } from './attachments.ts';
import { levelOf } from './completion.rules.ts';
import { type Draft, writeAgain, writeDraft } from './drafts.ts';
import { sendMessage } from './send-message.ts';
import { tellThread } from './thread-news.ts';

export interface Written {
  draft: Draft;
  files: readonly Attached[];
  /** The message that it answers; null for none. */
  answered: Message | null;
}

export interface SendOptions {
  /** The key of the draft. */
  place: string;
  scope: string;
  label: string;
  hasLevels: boolean;
  /** Whether the form that shows the error is still mounted. */
  isOnScreen(): boolean;
  onSent(sent: Written): void;
}

const sentOtherwise =
  'This text was already sent from another tab, with other files or as another answer. Send it again to send it as a message of its own.';

export function useSend({ place, scope, label, hasLevels, isOnScreen, onSent }: SendOptions) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const tried = useRef<{ draft: string; rest: string } | null>(null);
  /**
   * Returns the id of the draft as the idempotency key, because another tab may send the same draft. The same text with
   * other files, or as an answer to another message, is another message. Files without a text are no draft, and have a key of
   * their own.
   */
  function keyOf({ draft, files, answered }: Written): string {
    const rest = JSON.stringify([files.map(({ path }) => path), answered?.id]);
    if (draft.id === '') {
      if (tried.current?.rest !== rest) tried.current = { draft: randomId(), rest };
      return tried.current.draft;
    }
    const isAnother = tried.current?.draft === draft.id && tried.current.rest !== rest;
    const { id } = isAnother ? writeDraft(place, draft.text) : draft;
    tried.current = { draft: id, rest };
    return id;
  }
  const send = useMutation({
    // Sends what the screen showed at that moment, not the values that this closure captured.
    mutationFn: async (written: Written) => {
      const { files, answered } = written;
      const text = written.draft.text.trim() || files.map(({ name }) => name).join(', ');
      const { level, body } = hasLevels ? levelOf(text) : { level: 'info' as const, body: text };
      const attachments = files.flatMap(({ path }) => path ?? []);
      const inReplyTo = answered?.id ?? null;
      const key = keyOf(written);
      try {
        return await sendMessage(client, { scope, body, level, attachments, inReplyTo, key });
      } catch (error) {
        if (!isRefusedFor(error, 'idempotency_key_reused')) throw error;
        writeAgain(place, { id: key, text: written.draft.text });
        throw new Error(sentOtherwise);
      }
    },
    onError(error) {
      if (!isOnScreen()) toast(`Your message to ${label} was not sent`, sentenceOf(error));
    },
    onSuccess(message, sent) {
      tried.current = null;
      onSent(sent);
      // The stream delivers the message, too; whichever comes first, it appears once.
      apply(cache, keys.thread(scope), (held: ThreadPages) => withMessage(held, message));
      tellThread('sent', scope, message.id);
    },
  });
  const live = useLiveState();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the broker is back
  useEffect(() => {
    if (live === 'open' && send.error instanceof Unreachable) send.reset();
  }, [live]);
  return send;
}
