/**
 * Sends bytes to a socket and returns what comes back until it closes or `enough` returns true: for requests
 * that no HTTP client would send.
 */
import { connect } from 'node:net';

export function rawRequest(
  url: string,
  bytes: string | Buffer,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (enough(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}
