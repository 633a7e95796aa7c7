/**
 * A request to a model as pieces: exchanges of one conversation carry the same system prompt, tools, and history
 * each time, which are stored once (ADR 0025).
 */
import { hash } from 'node:crypto';

/** A checked exchange as received; keys that nobody specified are kept. */
export interface WholeExchange {
  entry: { request: { system: unknown; tools: unknown; messages: readonly unknown[] } };
}

export interface Piece {
  /** JSON. */
  text: string;
  /** Names the member, the kind of piece, and every text up to this one, so members never share a piece. */
  hash: Buffer;
}

/** Pieces in their order. An empty list stands for null, or for no messages. */
export interface RequestPieces {
  system: readonly Piece[];
  tools: readonly Piece[];
  messages: readonly Piece[];
}

const lostText = 'The store lost this part of the request.';

/** The text in place of a piece that is missing in a damaged store, as JSON. */
export const lostPiece: Record<keyof RequestPieces, string> = {
  system: JSON.stringify(lostText),
  tools: 'null',
  messages: JSON.stringify({ role: 'user', content: [{ type: 'text', text: lostText }] }),
};

export interface SplitExchange {
  /** The event as JSON without the three. */
  event: string;
  /** The offset in the UTF-8 bytes of `event` at which the three belong. */
  place: number;
  pieces: RequestPieces;
}

const isMore = (object: object): boolean => Object.keys(object).length > 0;

function chainOf(member: string, kind: keyof RequestPieces, values: readonly unknown[]): Piece[] {
  let last = hash('sha256', JSON.stringify([member, kind]), 'buffer');
  return values.map((value) => {
    const text = JSON.stringify(value);
    last = hash('sha256', Buffer.concat([last, Buffer.from(text)]), 'buffer');
    return { text, hash: last };
  });
}

const unlessNull = (value: unknown): unknown[] => (value === null ? [] : [value]);

/** `exchange` is an event of the kind `llm_exchange`. */
export function splitExchange<E extends WholeExchange>(member: string, exchange: E): SplitExchange {
  const { entry, ...event } = exchange;
  const { request, ...beside } = entry;
  const { system, tools, messages, ...rest } = request;
  const outer = JSON.stringify(event).slice(0, -1);
  const inner = JSON.stringify(beside).slice(0, -1);
  const head = `${outer}${isMore(event) ? ',' : ''}"entry":${inner}${isMore(beside) ? ',' : ''}"request":{`;
  return {
    event: `${head}${JSON.stringify(rest).slice(1)}}}`,
    place: Buffer.byteLength(head),
    pieces: {
      system: chainOf(member, 'system', unlessNull(system)),
      tools: chainOf(member, 'tools', unlessNull(tools)),
      messages: chainOf(member, 'messages', messages),
    },
  };
}

const brace = '}'.charCodeAt(0);
const [systemKey, toolsKey, messagesKey] = ['"system":', ',"tools":', ',"messages":['].map((key) =>
  Buffer.from(key),
) as [Buffer, Buffer, Buffer];
const [none, comma, listEnd] = [Buffer.from('null'), Buffer.from(','), Buffer.from(']')];

/** Returns the event as JSON in UTF-8. Each text is JSON in UTF-8 as well, the messages in their order. */
export function joinedExchange(
  event: Buffer,
  place: number,
  texts: { system: Buffer | null; tools: Buffer | null; messages: readonly Buffer[] },
): Buffer {
  const list = texts.messages.flatMap((text, index) => (index === 0 ? [text] : [comma, text]));
  return Buffer.concat([
    event.subarray(0, place),
    systemKey,
    texts.system ?? none,
    toolsKey,
    texts.tools ?? none,
    messagesKey,
    ...list,
    listEnd,
    ...(event[place] === brace ? [] : [comma]),
    event.subarray(place),
  ]);
}
