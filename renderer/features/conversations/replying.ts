/** The message that the member is answering in each conversation, shared by the thread and the composer. */
import { useCallback, useSyncExternalStore } from 'react';
import type { Message } from '#protocol/message.ts';
import { useSelf } from '../../data/self.tsx';
import { createListeners } from '../../listeners.ts';

const answeredByPlace = new Map<string, Message>();
const { subscribe, tell } = createListeners();

/** The place names the member, so that the next one who logs in does not see the message. */
export function useReplying(scope: string): [Message | null, (message: Message | null) => void] {
  const place = `${useSelf().member} ${scope}`;
  const answered = useSyncExternalStore(subscribe, () => answeredByPlace.get(place) ?? null);
  const answer = useCallback(
    (message: Message | null) => {
      if (message === null) answeredByPlace.delete(place);
      else answeredByPlace.set(place, message);
      tell();
    },
    [place],
  );
  return [answered, answer];
}
