/** The real nginx and the real Caddy, configured as `docs/guides/operations.md` says, on a port of their own with a certificate of their own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../broker/testing/free-port.ts';
import { root } from '../testing/build-once.ts';
import { programPath } from '../testing/programs.ts';

export const publicName = 'team.example.com';

export interface RealProxy {
  port: number;
  /** Ends it and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Place {
  folder: string;
  port: number;
  brokerPort: string;
}

/** The block of the document behind `name`. */
function documented(name: string): string {
  const text = readFileSync(join(root, 'docs', 'guides', 'operations.md'), 'utf8');
  const block = new RegExp(`^${name}:\\n\\n\`\`\`\\w*\\n([\\s\\S]*?)\\n\`\`\``, 'm').exec(text)?.[1];
  if (block === undefined) throw new Error(`docs/guides/operations.md has no block "${name}"`);
  return block;
}

/** @throws Error if the document says something else than what is replaced. */
function replaced(text: string, replacements: Record<string, string>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!result.includes(from)) throw new Error(`docs/guides/operations.md does not contain "${from}"`);
    result = result.replace(from, to);
  }
  return result;
}

const kinds = {
  nginx({ folder, port, brokerPort }: Place) {
    const server = replaced(documented('nginx'), {
      '127.0.0.1:8717': `127.0.0.1:${brokerPort}`,
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      '/etc/ssl/team.pem': join(folder, 'team.pem'),
      '/etc/ssl/team.key': join(folder, 'team.key'),
    });
    const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const config = `daemon off; pid ${join(folder, 'pid')}; events {} http { access_log off; ${kept.join(' ')} ${server} }`;
    writeFileSync(join(folder, 'nginx.conf'), config);
    return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  },
  caddy({ folder, port, brokerPort }: Place) {
    const site = replaced(documented('Caddy'), {
      'team.example.com {': `https://${publicName}:${port} {\n  bind 127.0.0.1\n  tls ${join(folder, 'team.pem')} ${join(folder, 'team.key')}`,
      '127.0.0.1:8717': `127.0.0.1:${brokerPort}`,
    });
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{\n  admin off\n  auto_https disable_redirects\n  grace_period 1s\n}\n${site}\n`,
    );
    return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  },
} as const;

export type ProxyKind = keyof typeof kinds;

export async function startProxy(kind: ProxyKind, brokerUrl: string): Promise<RealProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-proxy-'));
  const port = await freePort();
  const certificate = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${publicName}`];
  const files = ['-keyout', join(folder, 'team.key'), '-out', join(folder, 'team.pem')];
  execFileSync('openssl', ['req', ...certificate, ...files], { stdio: 'ignore' });
  const args = kinds[kind]({ folder, port, brokerPort: new URL(brokerUrl).port });
  let child: ChildProcess;
  async function start(): Promise<void> {
    child = spawn(programPath(kind), args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await vi.waitFor(
      async () => {
        if (!(await accepts(port))) throw new Error(`${kind} does not listen: ${said}`);
      },
      { timeout: 60_000, interval: 20 },
    );
  }
  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await start().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    port,
    async restart() {
      await end();
      await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
