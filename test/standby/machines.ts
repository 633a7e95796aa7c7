/** The real program, `muster serve`, on several machines that stand by for each other: folders and ports of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Message } from '#protocol/message.ts';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { wholeHistory } from '../crash/crash-senders.ts';
import { placeOf, prepareServedBroker } from '../crash/served-broker.ts';
import { until } from '../testing/until.ts';

/** A suspended machine answers nobody. */
const requestMs = 5000;
const program = fileURLToPath(new URL('../../bin/muster', import.meta.url));

export interface Machine {
  readonly url: string;
  readonly folder: string;
  readonly place: ReturnType<typeof placeOf>;
  readonly child: ChildProcess;
  readonly errors: string;
  /** Resolves when it says that it stands by, or that it is active. */
  start(env?: Record<string, string>): Promise<void>;
  /** Runs `muster` with these words and the variables of the machine. */
  run(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Resolves with the exit code; null after a signal. */
  exit(signal?: NodeJS.Signals): Promise<number | null>;
  readonly hasEnded: boolean;
  status(path: string): Promise<number | null>;
  tokenOf(member: string): string;
  /** Resolves when it answers the team. */
  active(): Promise<void>;
  /** Posts to everybody with the text as its key. Null if it was not acknowledged. */
  tryPush(from: string, body: string): Promise<Message | null>;
  /** The messages to everybody, on all pages. */
  wholeHistory(member: string): Promise<Message[]>;
  ask(
    member: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; reply: unknown }>;
}

export interface Machines {
  /** The one that has a team from the start. */
  first: Machine;
  add(name: string): Promise<Machine>;
  /** `SVC_KEK` of all. */
  kek: string;
  remove(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * @param databaseUrl Of PostgreSQL, for the machine of a name.
 * @param blocks Further blocks of the configuration.
 */
export async function createMachines(
  databaseUrl: string | ((name: string) => string),
  members: readonly string[],
  blocks: Record<string, unknown> = {},
): Promise<Machines> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-machines-'));
  const kek = mintKeyText();
  const machines: Machine[] = [];

  async function create(name: string, own: string, token: (member: string) => string): Promise<Machine> {
    const port = await freePort();
    const machine = createMachine({
      folder: own,
      port,
      token,
      env: {
        SVC_STANDBY_URL: typeof databaseUrl === 'string' ? databaseUrl : databaseUrl(name),
        SVC_KEK: kek,
        SVC_BROKER_NAME: name,
      },
    });
    machines.push(machine);
    return machine;
  }

  const firstFolder = join(folder, 'first');
  await mkdir(firstFolder);
  const { token } = await prepareServedBroker(members, { folder: firstFolder, blocks });
  return {
    first: await create('first', firstFolder, token),
    kek,
    async add(name) {
      const own = join(folder, name);
      await mkdir(own);
      return create(name, own, token);
    },
    async remove() {
      await Promise.all(machines.map((machine) => machine.exit('SIGKILL')));
      await rm(folder, { recursive: true });
    },
  };
}

interface MachineOptions {
  folder: string;
  port: number;
  token: (member: string) => string;
  env: Record<string, string>;
}

function createMachine({ folder, port, token, env }: MachineOptions): Machine {
  const url = `http://127.0.0.1:${port}`;
  const place = placeOf(folder);
  const base = { PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
  let child: ChildProcess | null = null;
  let errors = '';
  const running = (): ChildProcess => {
    if (child === null) throw new Error('the machine was not started');
    return child;
  };
  const status = (path: string): Promise<number | null> =>
    fetch(url + path, { signal: AbortSignal.timeout(requestMs) }).then(
      (response) => response.status,
      () => null,
    );
  async function post(from: string, body: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${url}/push`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token(from)}`,
        'content-type': 'application/json',
        'idempotency-key': body.replaceAll(' ', '-'),
      },
      body: JSON.stringify({ to: null, body }),
      signal: AbortSignal.timeout(requestMs),
    });
    return { status: response.status, text: await response.text() };
  }
  return {
    url,
    folder,
    place,
    tokenOf: token,
    get child() {
      return running();
    },
    get errors() {
      return errors;
    },
    async start(more = {}) {
      const files = [
        '--config-path',
        place.configPath,
        '--db',
        place.mainDbPath,
        '--activity-db',
        place.activityDbPath,
      ];
      const launched = spawn(
        process.execPath,
        [program, 'serve', ...files, '--port', String(port), '--json'],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...base, ...env, ...more },
        },
      );
      child = launched;
      errors = '';
      launched.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      for await (const _ of createInterface({ input: launched.stdout })) {
        launched.stdout.resume();
        return;
      }
      throw new Error(`the program ended before it stood by: ${errors}`);
    },
    async run(...words) {
      const launched = spawn(process.execPath, [program, ...words], { env: { ...base, ...env } });
      let [stdout, stderr] = ['', ''];
      launched.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      launched.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [code] = await once(launched, 'close');
      return { code, stdout, stderr };
    },
    async exit(signal) {
      if (child === null) return null;
      const { exitCode, signalCode } = child;
      if (exitCode !== null || signalCode !== null) return exitCode;
      const gone = once(child, 'exit');
      if (signal !== undefined) child.kill(signal);
      return (await gone)[0] as number | null;
    },
    get hasEnded() {
      const { exitCode, signalCode } = running();
      return exitCode !== null || signalCode !== null;
    },
    status,
    async tryPush(from, body) {
      const answer = await post(from, body).catch(() => null);
      // A machine that was suspended may pass on the end of a request late.
      const isUnanswered = answer?.status === 503 || answer?.text.includes('request_too_slow');
      if (answer === null || isUnanswered) return null;
      if (answer.status !== 200) throw new Error(`a push was answered ${answer.status}: ${answer.text}`);
      return JSON.parse(answer.text).message;
    },
    wholeHistory: (member) => wholeHistory({ url, token }, member, null),
    active: () => until(async () => (await status('/readyz')) === 200, `${url} answers the team`),
    async ask(member, method, path, body) {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token(member)}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, reply: await response.json() };
    },
  };
}

export const push = (at: Machine, body: string) => at.ask('ada', 'POST', '/push', { to: null, body });

/** Returns the bodies of the messages that `ben` reads, oldest first. */
export async function bodiesOf(at: Machine): Promise<string[]> {
  const { reply } = await at.ask('ben', 'GET', '/history?limit=100');
  return (reply as { messages: { body: string }[] }).messages.map(({ body }) => body).toReversed();
}
