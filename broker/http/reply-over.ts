/** Whether somebody still waits for a reply. A client may go away while its request waits for its turn. */
import type { ServerResponse } from 'node:http';

/** True if nothing more of the reply can be sent. */
export const isOver = (response: ServerResponse): boolean =>
  response.destroyed || response.closed || response.writableFinished;

/** Calls `done` once, when the reply is over: at once if it already is, because no event would tell. */
export function whenOver(response: ServerResponse, done: () => void): void {
  if (isOver(response)) {
    done();
    return;
  }
  const end = () => {
    response.off('finish', end).off('close', end);
    done();
  };
  // Without a socket, a response that ended does not close.
  response.once('finish', end).once('close', end);
}
