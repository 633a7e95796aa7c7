/** Guesses how high messages are before they are drawn, from those that were. */
import type { Message } from '#protocol/message.ts';
import { continuesAfter } from './transcript.rules.ts';

/** Of a message of which nothing is known, px. */
const plainHeight = 56;

/** Longer texts differ too much in their heights. */
const maxLines = 20;
const charactersPerStep = 40;
/** So many messages that are gone may be remembered, and so many shapes. */
const maxRemembered = 1000;

/** Returns the same name for messages that are about equally high. */
function shapeOf(before: Message | undefined, message: Message): string {
  const { title, body, data, inReplyTo, attachments } = message;
  const lines = body.slice(0, maxLines * charactersPerStep).split('\n');
  return [
    continuesAfter(before, message),
    title !== null,
    data.event !== undefined,
    inReplyTo !== undefined,
    attachments.length,
    ...lines.map(({ length }) => Math.ceil(length / charactersPerStep)),
  ].join();
}

export interface Heights {
  /** Returns px. It stays the same for a message, because a change above the screen would move what is on it. */
  guess(messages: readonly Message[], index: number): number;
  /** `height`: px, as it was drawn. */
  learn(messages: readonly Message[], index: number, height: number): void;
}

export function createHeights(): Heights {
  const known = new Map<string, number>();
  const guesses = new Map<string, number>();
  function forgetGone(messages: readonly Message[]): void {
    const held = new Set<string>(messages.map(({ id }) => id));
    for (const id of guesses.keys()) if (!held.has(id)) guesses.delete(id);
  }
  return {
    guess(messages, index) {
      const message = messages[index];
      if (message === undefined) return plainHeight;
      const guessed = guesses.get(message.id);
      if (guessed !== undefined) return guessed;
      if (guesses.size >= messages.length + maxRemembered) forgetGone(messages);
      const height = known.get(shapeOf(messages[index - 1], message)) ?? plainHeight;
      guesses.set(message.id, height);
      return height;
    },
    learn(messages, index, height) {
      const message = messages[index];
      if (message === undefined) return;
      if (known.size >= maxRemembered) known.clear();
      known.set(shapeOf(messages[index - 1], message), height);
    },
  };
}
