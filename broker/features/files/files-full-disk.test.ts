import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithSmallDisk, smallDisk } from '#platform/testing/small-disk.ts';
import { startFileTeam } from './testing/file-team.ts';

const MiB = 1024 * 1024;

describeWithSmallDisk('a broker whose disk for files is full', () => {
  it('answers writes with 503 and leaves nothing of them; it still reads, and writes again when there is space', async () => {
    const root = join(await smallDisk('4m'), 'files');
    await mkdir(root);
    const team = await startFileTeam({ root, maxFileSize: 64 * MiB });
    onTestFinished(() => team.stop());
    const first = await team.write('ben', '/ben/first', new Uint8Array(MiB).fill(1));

    const replies = await Promise.all(
      [2, 3, 4].map((n) => team.put('ben', `/ben/dir/${n}`, new Uint8Array(8 * MiB).fill(n))),
    );
    for (const reply of replies) {
      expect([reply.status, await reply.json()]).toMatchObject([503, { error: 'unavailable' }]);
    }
    expect(team.logged()).toContain('ENOSPC');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ports = [];
    for (const path of ['/fs/write?path=/ben/large', '/fs/ls?path=/ben']) {
      const method = path.startsWith('/fs/write') ? 'POST' : 'GET';
      const headers = { authorization: `Bearer ${team.token('ben')}` };
      const call = request(team.url + path, { method, agent, headers });
      call.end(method === 'POST' ? Buffer.alloc(16 * MiB) : undefined);
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      ports.push(response.socket.localPort);
      expect(response.statusCode).toBe(method === 'POST' ? 503 : 200);
      await once(response.resume(), 'end');
    }
    // The connection stays usable.
    expect(ports[0]).toBe(ports[1]);
    expect(await team.incoming()).toEqual([]);
    expect(await team.blobs()).toEqual([first.entry.hash]);
    expect(await team.names('ben', '/ben')).toEqual(['first']);
    expect((await (await team.get('ben', '/ben/first')).bytes()).length).toBe(MiB);

    await team.write('ben', '/ben/fits', new Uint8Array(MiB).fill(5));
    expect((await team.ask('ben', 'rm', '/ben/first')).status).toBe(204);
    await team.write('ben', '/ben/again', new Uint8Array(2 * MiB).fill(6));
    expect(await team.names('ben', '/ben')).toEqual(['again', 'fits']);
  });
});
