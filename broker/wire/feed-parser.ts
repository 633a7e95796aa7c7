/**
 * Hands what arrives on a connection to Node's parser in pieces with a bounded number of lines, and stops when
 * Node stops the connection. The parser makes objects for everything in a piece before anybody can stop it: for
 * 1,400 requests in 64 KiB, or for 10,000 chunks of a body. All connections share the turns in which what
 * follows a first piece is parsed, so that hundreds of such connections delay the others by one piece.
 */
import type { Socket } from 'node:net';
import { limits } from '#protocol/limits.ts';
import { giveBack } from '../runtime/give-back.ts';
import { requestOn } from './gathered-request.ts';
import { isEnding } from './polite-end.ts';

const lineEnd = Buffer.from('\r\n');
/** One more than may wait for their answers, so that too many are seen as too many. */
const headsOfPiece = limits.connections.unanswered + 1;
/** In a piece, behind the last head. A browser's head has some 25 lines, and a chunk of a body has two. */
const linesBehindHead = 40;
/** An arrival this short cannot hold much. */
const shortBytes = 512;

const isLineEnd = (arrived: Buffer, at: number): boolean => arrived[at] === 0x0d && arrived[at + 1] === 0x0a;

/** Returns where the first piece ends. `bodyBytes`: how much of it belongs to a body with a declared length, which is one object. */
function endOfPiece(arrived: Buffer, bodyBytes: number): number {
  if (arrived.length <= shortBytes) return arrived.length;
  if (bodyBytes > 0) return Math.min(bodyBytes, arrived.length);
  let at = 0;
  let heads = 0;
  let lines = 0;
  while (heads < headsOfPiece && lines < linesBehindHead) {
    const end = arrived.indexOf(lineEnd, at);
    if (end === -1) return arrived.length;
    at = end + lineEnd.length;
    lines += 1;
    if (!isLineEnd(arrived, at)) continue;
    at += lineEnd.length;
    heads += 1;
    lines = 0;
  }
  return at;
}

/** Calls what was added in order, one per turn of the event loop. */
export interface Turns {
  add(call: () => void): void;
}

export function createTurns(): Turns {
  const calls: (() => void)[] = [];
  function run(): void {
    calls[0]?.();
    calls.shift();
    if (calls.length > 0) setImmediate(run);
  }
  return {
    add(call) {
      // While a call runs, it is still in the list, so that each turn has one.
      calls.push(call);
      if (calls.length === 1) setImmediate(run);
    },
  };
}

/**
 * Call it when Node has attached its parser to the connection, and while Node has not stopped it. `turns` are
 * those of all connections.
 */
export function feedInPieces(socket: Socket, turns: Turns): void {
  const parsers = socket.listeners('data') as ((piece: Buffer) => void)[];
  for (const parser of parsers) socket.off('data', parser);
  const pause = socket.pause.bind(socket);
  const resume = socket.resume.bind(socket);
  /** Bytes that have arrived and were not parsed yet. Nothing more is read meanwhile. */
  let held: Buffer | null = null;
  let isStopped = false;
  let hasTurn = false;

  /** A refused connection has no parser anymore. */
  const isOver = () => socket.destroyed || isEnding(socket);

  function feed(arrived: Buffer): void {
    const request = requestOn(socket);
    const bytesToCome = request?.bytesToCome ?? 0;
    const end = endOfPiece(arrived, bytesToCome);
    held = end < arrived.length ? arrived.subarray(end) : null;
    if (held !== null) pause();
    for (const parser of parsers) if (!isOver()) parser.call(socket, arrived.subarray(0, end));
    if (bytesToCome > 0 && request?.bytesToCome === bytesToCome) request.stopCounting();
    // The parser has copied what is part of a body. A short arrival does not burden the collector.
    if (held === null && arrived.length > shortBytes && !isOver()) giveBack(arrived);
    goOn();
  }

  function goOn(): void {
    if (isOver()) held = null;
    if (isStopped) return;
    if (held === null) {
      if (socket.isPaused()) resume();
    } else if (!hasTurn) {
      hasTurn = true;
      turns.add(() => {
        hasTurn = false;
        if (held !== null && !isStopped && !isOver()) feed(held);
        else goOn();
      });
    }
  }

  // Node stops a connection whose body or whose replies nobody takes, and asserts that nothing is parsed then.
  socket.pause = () => {
    isStopped = true;
    return pause();
  };
  socket.resume = () => {
    isStopped = false;
    if (held === null) return resume();
    goOn();
    return socket;
  };
  socket.on('data', (arrived: Buffer) => {
    if (!isOver()) feed(arrived);
  });
}
