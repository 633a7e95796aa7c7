/** Sends a message and adds it to the thread. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Message } from '#protocol/message.ts';
import { useBroker } from '../../data/broker.tsx';
import { useIdempotencyKey } from '../../data/idempotency-key.ts';
import { keys } from '../../data/keys.ts';
import { apply } from '../../data/make-change.ts';
import { type ThreadPages, withMessage } from '../../data/thread-pages.ts';
import { sentenceOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Attached } from './attachments.ts';
import { levelOf } from './completion.rules.ts';
import { tellSent } from './just-sent.ts';
import { sendMessage } from './send-message.ts';

export interface Written {
  text: string;
  files: readonly Attached[];
  /** The message that it answers; null for none. */
  answered: Message | null;
}

export interface SendOptions {
  scope: string;
  label: string;
  hasLevels: boolean;
  /** Whether the form that shows the error is still mounted. */
  isOnScreen(): boolean;
  onSent(sent: Written): void;
}

export function useSend({ scope, label, hasLevels, isOnScreen, onSent }: SendOptions) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const idempotency = useIdempotencyKey();
  return useMutation({
    // Sends what the screen showed at that moment, not the values that this closure captured.
    mutationFn: ({ text, files, answered }: Written) => {
      const { level, body } = hasLevels
        ? levelOf(text.trim())
        : { level: 'info' as const, body: text.trim() };
      const attachments = files.flatMap(({ path }) => path ?? []);
      const inReplyTo = answered?.id ?? null;
      const key = idempotency.keyOf([text, attachments, inReplyTo]);
      return sendMessage(client, { scope, body, level, attachments, inReplyTo, key });
    },
    onError(error) {
      if (!isOnScreen()) toast(`Your message to ${label} was not sent`, sentenceOf(error));
    },
    onSuccess(message, sent) {
      idempotency.done();
      onSent(sent);
      // The stream delivers the message, too; whichever comes first, it appears once.
      apply(cache, keys.thread(scope), (held: ThreadPages) => withMessage(held, message));
      tellSent(scope, message.id);
    },
  });
}
