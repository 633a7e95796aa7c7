/** NATS core, if its server is installed: a yardstick that stores nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../broker/testing/free-port.ts';
import { cpuSecondsOf } from './processes.ts';

export interface NatsServer {
  port: number;
  /** User and system time so far, in seconds. */
  cpuSeconds: () => number;
  stop: () => Promise<void>;
}

/** Returns null if nats-server is not installed. `command` places it on its core. */
export async function startNats(command: readonly string[]): Promise<NatsServer | null> {
  const port = await freePort();
  const args = ['nats-server', '-a', '127.0.0.1', '-p', String(port)];
  const [program = '', ...rest] = [...command, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  const started = await new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false)).on('exit', () => resolve(false));
    child.stderr.on('data', (chunk) => String(chunk).includes('Server is ready') && resolve(true));
  });
  if (!started) return null;
  return {
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
