/** A live stream as a test reads it: over a socket of its own, frame by frame. */
import { get, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Message } from '#protocol/message.ts';

export interface TestStream {
  /** Everything that was received so far. */
  frames: EventSourceMessage[];
  /** The messages among them. */
  messages: () => Message[];
  /** Resolves when `condition` holds for what has been received; rejects if the stream ends before. */
  until: (condition: (frames: EventSourceMessage[]) => boolean) => Promise<void>;
  /** The cursor of the last frame with one. */
  cursor: () => string;
  /** Stops reading, so that the broker's writes pile up. */
  pause: () => void;
  resume: () => void;
  ended: Promise<void>;
  close: () => void;
}

/** `ca` is the authority of an https address, PEM. */
export async function openTestStream(
  url: string,
  token: string,
  cursor?: string,
  ca?: string,
): Promise<TestStream> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(cursor !== undefined && { 'last-event-id': cursor }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request =
      ca === undefined
        ? get(url, { headers, agent: false }, resolve)
        : getSecure(url, { headers, agent: false, ca }, resolve);
    request.on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`);
  const frames: EventSourceMessage[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const check = () => {
    for (const look of waiting) look();
  };
  const parser = createParser({
    onEvent: (frame) => {
      frames.push(frame);
      check();
    },
  });
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      over = true;
      check();
      resolve();
    });
  });
  response.on('error', () => undefined);
  response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
  const stream: TestStream = {
    frames,
    messages: () => frames.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data)),
    until: (condition) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (condition(frames)) resolve();
          else if (over) reject(new Error('the stream ended'));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    cursor: () =>
      frames.findLast(({ id }) => id !== undefined)?.id ?? JSON.parse(frames[0]?.data ?? '{}').cursor,
    pause: () => response.pause(),
    resume: () => response.resume(),
    ended,
    close: () => response.destroy(),
  };
  await stream.until((received) => received.length > 0);
  return stream;
}
