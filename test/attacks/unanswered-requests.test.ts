/** More requests on one connection than may wait for an answer (specification/api.md#connections). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { type GuardedListeners, startGuardedListeners, transports } from './guarded-listeners.ts';

const { unanswered } = limits.connections;
const requests = (count: number): string => 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count);

let listeners: GuardedListeners;
let begun: number;
let hits: string[];
beforeEach(async () => {
  begun = 0;
  hits = [];
  listeners = await startGuardedListeners(
    () => {
      begun += 1;
    },
    { onLimit: (kind) => void hits.push(kind) },
  );
});
afterEach(() => listeners.stop());

describe.each(transports)('a connection over %s whose first request is not answered yet', (transport) => {
  it('is closed by the request after the last one that may wait, and none of the others begins', async () => {
    const socket = await listeners.dial(transport);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(requests(unanswered));
    await expect.poll(() => begun).toBe(1);
    expect(hits).toEqual([]);
    socket.write(requests(1));
    await closed;
    expect(hits).toEqual(['pipelined_requests']);
    expect(begun).toBe(1);
  });
});
