/**
 * Hands what arrives on a connection to Node's parser in pieces with a bounded number of requests. The parser
 * makes objects for all requests of a piece before anybody can stop it: 64 KiB hold 1,400 of them, and a few
 * hundred connections with such pieces took 2 GB.
 */
import type { Socket } from 'node:net';
import { giveBack } from '../runtime/give-back.ts';
import { isEnding } from './polite-end.ts';

const headEnd = Buffer.from('\r\n\r\n');

/** Call it when Node has attached its parser to the connection, and before anything arrives. */
export function feedInPieces(socket: Socket, maxRequests: number): void {
  const parsers = socket.listeners('data') as ((chunk: Buffer) => void)[];
  for (const parser of parsers) socket.off('data', parser);
  /** A refused connection has no parser anymore. */
  const isOver = () => socket.destroyed || isEnding(socket);
  const feed = (piece: Buffer) => {
    for (const parser of parsers) if (!isOver()) parser.call(socket, piece);
  };
  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    let heads = 0;
    for (let at = chunk.indexOf(headEnd); at !== -1; at = chunk.indexOf(headEnd, at + headEnd.length)) {
      heads += 1;
      if (heads < maxRequests) continue;
      feed(chunk.subarray(from, at + headEnd.length));
      if (isOver()) return;
      heads = 0;
      from = at + headEnd.length;
    }
    if (from < chunk.length) feed(chunk.subarray(from));
    // The parser has copied what is part of a body.
    if (!isOver()) giveBack(chunk);
  });
}
