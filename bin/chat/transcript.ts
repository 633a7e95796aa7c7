/** Remembers shown messages, so that none is shown twice and a gap can be filled from the history. */
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import type { Message } from '#protocol/message.ts';
import { untilAnswered } from './until-answered.ts';

export interface TranscriptOptions {
  client: BrokerClient;
  show(message: Message): void;
  signal: AbortSignal;
  /** The history is not available now, and will be requested again. */
  onDelay(reason: string): void;
}

/** One scope of the history: `{}` is `general`; otherwise a member, or a channel by its id. */
export type Scope = { with?: string; channel?: string };

export interface Transcript {
  /** Shows the newest messages of one scope, oldest first. */
  begin(scope: Scope): Promise<void>;
  /** Shows the message unless it was already shown. */
  showOnce(message: Message): void;
  /** Marks a message that is already on the screen. */
  skip(message: Message): void;
  /** Shows the messages of these scopes that are newer than the newest shown one. */
  fillGap(scopes: readonly Scope[]): Promise<void>;
}

const firstShown = 20;
const maxRemembered = 10_000;

export function createTranscript({ client, show, signal, onDelay }: TranscriptOptions): Transcript {
  const shownIds = new Set<string>();
  let newestId = '';

  function skip(message: Message): void {
    shownIds.add(message.id);
    // Ids increase in the order of acceptance (specification/messages.md#message).
    if (message.id > newestId) newestId = message.id;
    if (shownIds.size > maxRemembered)
      for (const oldest of shownIds.values().take(maxRemembered / 2)) shownIds.delete(oldest);
  }

  function showOnce(message: Message): void {
    if (shownIds.has(message.id)) return;
    skip(message);
    show(message);
  }

  async function page(
    query: Scope & { limit: string; before?: string; beforeId?: string },
  ): Promise<Message[]> {
    return (await untilAnswered(() => client.call('history', { query }), { signal, onDelay })).messages;
  }

  async function since(scope: Scope, id: string): Promise<Message[]> {
    const found: Message[] = [];
    const limit = limits.history.pageMax;
    for (let place = {}; ; ) {
      const messages = await page({ ...scope, limit: String(limit), ...place });
      const newer = messages.filter((message) => message.id > id);
      found.push(...newer);
      const last = messages.at(-1);
      if (newer.length < limit || last === undefined) return found;
      place = { before: String(last.ts), beforeId: last.id };
    }
  }

  return {
    skip,
    showOnce,
    async begin(scope) {
      for (const message of (await page({ ...scope, limit: String(firstShown) })).reverse())
        showOnce(message);
    },
    async fillGap(scopes) {
      const from = newestId;
      const missed: Message[] = [];
      for (const scope of scopes) missed.push(...(await since(scope, from)));
      missed.sort((a, b) => (a.id < b.id ? -1 : 1));
      for (const message of missed) showOnce(message);
    },
  };
}
