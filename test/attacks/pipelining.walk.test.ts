/**
 * Somebody without a credential sends requests faster than it reads the replies
 * (specification/api.md#connections).
 */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { rawRequest } from '../../broker/testing/raw-request.ts';
import { prepareServedBroker, type ServedBroker } from '../crash/served-broker.ts';
import { residentBytes } from './process-facts.ts';

const connections = 400;
const requestsEach = 1400;
const maxResidentBytes = 350 * 1024 * 1024;

let broker: ServedBroker;
beforeAll(async () => {
  broker = await prepareServedBroker(['ada']);
  await broker.start();
});
afterAll(() => broker.remove());

const health = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/** Sends everything and reads nothing. Resolves when the system has taken it, or the connection is gone. */
function flood(url: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.pause();
    socket.on('error', () => undefined).on('close', () => resolve(socket));
    socket.on('connect', () => socket.write(health.repeat(requestsEach), () => resolve(socket)));
  });
}

/** Reads what came. Resolves with it when the connection is closed. */
function readToTheEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    if (socket.destroyed) resolve(text);
    else socket.on('close', () => resolve(text)).resume();
  });
}

const answersIn = (text: string): number => text.split('HTTP/1.1 200 OK').length - 1;

describe('400 connections with 1,400 pipelined requests each and unread replies', () => {
  it('are closed, and the broker stays small and answers others', async () => {
    const sockets = await Promise.all(Array.from({ length: connections }, () => flood(broker.url)));
    expect((await fetch(`${broker.url}/healthz`)).status).toBe(200);
    const texts = await Promise.all(sockets.map(readToTheEnd));
    for (const text of texts) expect(answersIn(text)).toBeLessThanOrEqual(limits.connections.unanswered);
    expect(await residentBytes(broker.pid ?? 0)).toBeLessThan(maxResidentBytes);
  });
});

describe('a client that pipelines as many requests as it may', () => {
  it('gets all answers in the order of its requests', async () => {
    const paths = Array.from({ length: limits.connections.unanswered }, (_, n) => `/unknown-${n}`);
    const requests = paths.map((path, n) =>
      n % 2 === 0 ? health : `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    );
    const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
    const text = await rawRequest(
      broker.url,
      requests.join(''),
      (seen) => statusesIn(seen).length === paths.length,
    );
    expect(statusesIn(text)).toEqual(paths.map((_, n) => (n % 2 === 0 ? '200' : '404')));
  });
});
