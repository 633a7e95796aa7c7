import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFileTeam } from './testing/file-team.ts';

const childPath = fileURLToPath(new URL('./testing/files-child.ts', import.meta.url));
const MiB = 1024 * 1024;

/** The most memory that the process ever had, in bytes. */
async function peakOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

describe.runIf(process.platform === 'linux')('the memory of the broker', () => {
  it('grows by less than 32 MiB when it receives and sends a file of 256 MiB', async () => {
    const team = await startFileTeam({
      onDisk: true,
      maxFileSize: 300 * MiB,
      members: { ada: ['admin'], ben: [] },
    });
    onTestFinished(() => team.stop());
    await team.broker.close();
    const args = [childPath, team.configPath, join(team.folder, 'main.db')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { url } = JSON.parse(line);
    const headers = { authorization: `Bearer ${team.token('ben')}` };

    async function writeAndRead(path: string, size: number): Promise<void> {
      const chunk = Buffer.alloc(MiB, path);
      const body = Readable.from(
        (function* () {
          for (let sent = 0; sent < size; sent += chunk.length) yield chunk;
        })(),
      );
      const init = { method: 'POST', headers, body: Readable.toWeb(body), duplex: 'half' } as RequestInit;
      const written = await fetch(`${url}/fs/write?path=${path}&mime=a/b`, init);
      expect([written.status, await written.json()]).toMatchObject([200, { entry: { size } }]);
      const read = await fetch(`${url}/fs/read${path}`, { headers });
      let received = 0;
      for await (const part of read.body ?? []) received += part.length;
      expect(received).toBe(size);
    }
    await writeAndRead('/ben/warm-up', 16 * MiB);
    const before = await peakOf(child);
    await writeAndRead('/ben/large', 256 * MiB);
    const grown = (await peakOf(child)) - before;
    console.log(`files: 256 MiB in and out grew memory by ${(grown / MiB).toFixed(1)} MiB`);
    expect(grown).toBeLessThan(32 * MiB);
  });
});
