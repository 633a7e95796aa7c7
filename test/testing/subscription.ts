/**
 * One connection to `GET /subscribe` as a careful client opens it (specification/streams.md#resuming). The
 * caller reconnects with the cursor.
 */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface Subscription {
  url: string;
  member: string;
  token: string;
  /** The position to resume from; undefined for live only. */
  cursor: string | undefined;
  onOpen(connection: IncomingMessage): void;
  /** The position of the stream, reported at its start. */
  onReady(cursor: string): void;
  /** `data` is one message as JSON. */
  onMessage(data: string, cursor: string | undefined): void;
  /** Reports a fault of the broker: a status other than 200, or an unknown event. */
  onFault(fault: string): void;
  /** The broker asks the client to come back, because it read too slowly or the broker stops. */
  onBye?(): void;
  /** The connection has ended, or there was none. */
  onClose(): void;
}

export function subscribe(subscription: Subscription): ClientRequest {
  const { url, member, token, cursor, onOpen, onReady, onMessage, onBye, onFault, onClose } = subscription;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(cursor !== undefined && { 'last-event-id': cursor }),
  };
  const request = get(`${url}/subscribe?name=${member}`, { headers, agent: false }, (response) => {
    response.on('error', () => undefined);
    if (response.statusCode !== 200) {
      onFault(`answered ${response.statusCode}`);
      response.resume();
      return;
    }
    onOpen(response);
    const parser = createParser({
      onEvent({ event, id, data }) {
        if (event === 'ready') onReady((JSON.parse(data) as { cursor: string }).cursor);
        else if (event === 'message') onMessage(data, id);
        else if (event === 'bye') onBye?.();
        else onFault(`got ${event} ${data}`);
      },
    });
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
  });
  return request.on('error', () => undefined).on('close', onClose);
}
