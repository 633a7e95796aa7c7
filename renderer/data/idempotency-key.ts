/** Trying again: the same content goes out under the same key, so that it cannot arrive twice after a lost answer. */
import { useRef } from 'react';

export interface IdempotencyKey {
  /** The key of this content. It stays until the content differs or is done. */
  keyOf(content: unknown): string;
  /** The content was accepted: the same once more is another one. */
  done(): void;
}

export function useIdempotencyKey(): IdempotencyKey {
  const tried = useRef<{ content: string; key: string } | null>(null);
  return {
    keyOf(content) {
      const text = JSON.stringify(content);
      if (tried.current?.content !== text) tried.current = { content: text, key: crypto.randomUUID() };
      return tried.current.key;
    },
    done() {
      tried.current = null;
    },
  };
}
