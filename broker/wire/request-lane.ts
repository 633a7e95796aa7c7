/**
 * The requests of one connection, one after the other: the next one is answered when the answer before it has
 * left the broker, so that a connection never holds more than one answer, however many requests are
 * pipelined on it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface RequestLane {
  /** Requests that wait for their answer, the one being answered included. */
  readonly unanswered: number;
  /** A part of an answer has been sent, and another one is missing. */
  readonly isAnswering: boolean;
  /** Calls `answer` when it is the request's turn; never if the connection ends before. */
  add(request: IncomingMessage, response: ServerResponse, answer: RequestListener): void;
}

const pipelined = new WeakSet<IncomingMessage>();

/** True if the request came before the one before it on its connection was answered. */
export const isPipelined = (request: IncomingMessage): boolean => pipelined.has(request);

export function createRequestLane(): RequestLane {
  let unanswered = 0;
  let current: ServerResponse | null = null;
  let waiting: (() => void)[] = [];

  /** Shared by all responses of the connection. */
  function onClose(this: ServerResponse): void {
    unanswered -= 1;
    if (waiting.length === 0) return;
    if (this.req.socket.writable) waiting.shift()?.();
    else waiting = [];
  }

  return {
    get unanswered() {
      return unanswered;
    },
    get isAnswering() {
      return current?.headersSent === true && !current.writableFinished;
    },
    add(request, response, answer) {
      unanswered += 1;
      response.on('close', onClose);
      if (unanswered === 1) {
        current = response;
        answer(request, response);
        return;
      }
      pipelined.add(request);
      waiting.push(() => {
        current = response;
        answer(request, response);
      });
    },
  };
}
