/**
 * One member that uses everything it may use as hard as it can, as a process: searches, a flood of its own messages, activity that fills the
 * disk, push endpoints that fail, wrong codes, and requests to join. It reads where the broker is and its token from the environment, and ends
 * with its parent. SIGSTOP and SIGCONT interrupt it.
 */
import { createECDH } from 'node:crypto';
import { Agent, request } from 'node:http';
import { activityEvents } from '../bench/activity-batch.ts';

const { HOSTILE_URL: url = '', HOSTILE_NAME: name = '', HOSTILE_TOKEN: token = '' } = process.env;
/** It stops filling here, so that a test needs no more disk than this. */
const most = { messages: 96 * 2 ** 20, activity: 400 * 2 ** 20 };
const added = { messages: 0, activity: 0 };

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const words = Array.from({ length: 400 }, (_, n) => `wort${n}`);
const longText = Array.from({ length: 7_000 }, (_, n) => words[(n * 7) % words.length]).join(' ');
const events = activityEvents(100);
const eventBytes = JSON.stringify(events).length;

/** Resolves with the status; 0 if the broker is gone. */
function ask(method: string, path: string, body?: object): Promise<number> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
    };
    request(url + path, { method, headers, agent }, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode ?? 0))
        .on('error', () => resolve(0));
    })
      .on('error', () => resolve(0))
      .end(bytes);
  });
}

async function flood(body: string): Promise<number> {
  if (added.messages > most.messages) return pause(1000);
  const status = await ask('POST', '/push', { to: name, body });
  if (status === 200) added.messages += body.length;
  return status;
}

async function fill(): Promise<number> {
  if (added.activity > most.activity) return pause(1000);
  const status = await ask('POST', `/members/${name}/activity`, { events });
  if (status === 200) added.activity += eventBytes;
  return status;
}

const pause = (ms: number): Promise<number> => new Promise((resolve) => setTimeout(resolve, ms, -1));

const p256dh = createECDH('prime256v1').generateKeys('base64url');
const endpoint = (n: number): object => ({
  endpoint: `https://${name}-${n}.invalid/push`,
  keys: { p256dh, auth: 'A'.repeat(22) },
});

const query = (n: number): string => words.slice(n % 300, (n % 300) + 16).join(' ');
const code = (n: number): string => String(n % 1_000_000).padStart(6, '0');

const attacks: { times: number; act: (n: number) => Promise<number> }[] = [
  { times: 8, act: (n) => ask('GET', `/search?${new URLSearchParams({ q: query(n), limit: '100' })}`) },
  { times: 4, act: () => flood(longText) },
  { times: 2, act: () => flood('short') },
  { times: 2, act: fill },
  { times: 1, act: (n) => ask('POST', '/push/subscriptions', endpoint(n % 20)) },
  { times: 2, act: (n) => ask('POST', '/session/totp', { member: 'ada', code: code(n) }) },
  { times: 2, act: () => ask('POST', '/enroll', { labelHint: 'x' }) },
];

async function repeat(act: (n: number) => Promise<number>): Promise<never> {
  for (let n = 0; ; n++) {
    const status = await act(n);
    // The broker is gone, or refuses: more of the same would only take the processor from the others on this machine.
    if (status === 0 || status === 429) await pause(50);
  }
}

process.on('disconnect', () => process.exit());
for (const { times, act } of attacks) for (let n = 0; n < times; n++) void repeat(act);
