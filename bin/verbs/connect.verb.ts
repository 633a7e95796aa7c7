/**
 * `svc connect`: this device joins a team. It shows a code, waits for the operator, and keeps its own token
 * (RFC 8628; specification/enrollment.md).
 */
import type { Agent } from 'node:https';
import { hostname } from 'node:os';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createBearerCache } from '#client/bearer-cache.ts';
import { ConnectionError } from '#client/connection-error.ts';
import { resolveAddress } from '#client/credentials.ts';
import { createHttpClient } from '#client/http-client.ts';
import { createPins, Fingerprint } from '#client/pins.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { DeviceAuthorization, DeviceToken } from '#protocol/enrollment.ts';
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Env } from '#protocol/paths.ts';
import { CommandFailure } from '../command-failure.ts';
import { print, printJson, remark } from '../output.ts';
import { ownPaths } from '../own-paths.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'svc connect [options]',
  options: {
    url: {
      type: 'string',
      value: '<url>',
      help: 'the broker (else SVC_URL, the only saved one, http://127.0.0.1:8717)',
    },
    fingerprint: {
      type: 'string',
      value: '<sha256:…>',
      help: 'the key of the broker’s certificate, as the operator gave it',
    },
    label: {
      type: 'string',
      value: '<label>',
      help: 'what the operator sees this device called (else its host name)',
    },
    json: { type: 'boolean', help: 'print the codes and then the member, one object per line' },
  },
  notes: [
    'Over HTTPS the broker’s key is kept after the first time; another key is refused from then on.',
    'The token is saved for that address only, readable by you alone.',
  ],
  async run({ values, env }) {
    const paths = ownPaths(env);
    const cache = createBearerCache({ path: paths.authPath });
    // A damaged cache is detected before anybody approves anything.
    const { url } = await resolveAddress({ ...values, env, cache });
    await cache.entries();
    const http = createHttpClient({
      url,
      token: null,
      agent: await confirmedAgent(url, values.fingerprint, env),
    });
    const client = createClient(http.send);
    const labelHint = (values.label ?? hostname()).slice(0, limits.tokenLabel);
    const device = await client.call('enroll', { body: { labelHint } });
    show(device, values.json ?? false);
    const { token, member } = await poll(client, device);
    await cache.save(url, token);
    if (values.json) printJson({ url, member });
    else
      print(
        `\nConnected to ${url} as ${oneLine(member.name)} (${oneLine(member.role.title)}). Try: npx svc chat`,
      );
    return 0;
  },
});

function show(device: DeviceAuthorization, json: boolean): void {
  const { userCode, verificationUri, verificationUriComplete, expiresIn, interval } = device;
  if (json) {
    print(JSON.stringify({ userCode, verificationUri, verificationUriComplete, expiresIn, interval }));
    return;
  }
  print(`Code: ${oneLine(userCode)}\n`);
  print('Ask an operator of the team to approve it: in the tray app, at');
  print(`  ${oneLine(verificationUriComplete)}`);
  print(`or with: npx svc enroll approve ${oneLine(userCode)} --member <name>`);
  remark(`Waiting for up to ${Math.round(expiresIn / 60)} minutes; Ctrl+C stops.`);
}

/**
 * Polls as often as it may, and waits longer when told to. A broker that is away for a moment is polled
 * again.
 */
async function poll(
  client: BrokerClient,
  { deviceCode, interval, expiresIn }: DeviceAuthorization,
): Promise<DeviceToken> {
  let waitMs = interval * 1000;
  const endsAt = performance.now() + expiresIn * 1000;
  while (performance.now() < endsAt + waitMs) {
    await pause(waitMs);
    try {
      return await client.call('pollEnrollment', { body: { deviceCode } });
    } catch (error) {
      if (error instanceof BrokerError) {
        if (error.code === 'slow_down') waitMs += limits.enrollment.slowDownMs;
        else if (error.code !== 'authorization_pending' && error.status < 500)
          throw new CommandFailure(refusalOf(error));
      } else if (!(error instanceof ConnectionError) || error.reason === 'tls') throw error;
    }
  }
  throw new CommandFailure('the code expired before anybody approved it: run "svc connect" again');
}

function refusalOf(error: BrokerError): string {
  if (error.code === 'access_denied') {
    const reason = error.errorDescription ? `: ${oneLine(error.errorDescription)}` : '';
    return `the operator turned this device away${reason}`;
  }
  if (error.code === 'expired_token')
    return 'the code expired before anybody approved it: run "svc connect" again';
  return `the broker refused (${error.status} ${error.code}): ${oneLine(error.message)}`;
}

/** The key is given, known, or confirmed by the person the first time; nothing else is accepted. */
async function confirmedAgent(url: string, given: string | undefined, env: Env): Promise<Agent | undefined> {
  if (given !== undefined && !Fingerprint.safeParse(given).success)
    throw new UsageError(
      '--fingerprint must be "sha256:" and 64 hex digits, as the operator’s broker prints it',
    );
  if (!url.startsWith('https:')) {
    if (given !== undefined) throw new UsageError('--fingerprint needs an https address');
    return undefined;
  }
  const { createPinnedAgent, readFingerprint } = await import('#client/pinned-agent.ts');
  const pins = createPins({ path: ownPaths(env).pinsPath });
  const known = await pins.find(url);
  const fingerprint = given ?? known ?? (await confirm(url, await shownBy(url, readFingerprint)));
  const agent = createPinnedAgent(url, fingerprint);
  if (fingerprint !== known) {
    // Kept only once the broker has shown it.
    await createClient(createHttpClient({ url, token: null, agent }).send).call('health', {});
    await pins.save(url, fingerprint);
  }
  return agent;
}

async function shownBy(url: string, read: (url: string) => Promise<string>): Promise<string> {
  try {
    return await read(url);
  } catch (error) {
    throw createHttpClient({ url, token: null }).explain(error);
  }
}

async function confirm(url: string, fingerprint: string): Promise<string> {
  const sentence = `${url} shows the key ${fingerprint}`;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailure(
      `${sentence}: compare it with what the operator sees, then pass --fingerprint ${fingerprint}`,
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines
    .question(`${sentence}.\nIs that what the operator sees? [y/N]: `)
    .finally(() => lines.close());
  if (/^y(es)?$/i.test(answer.trim())) return fingerprint;
  throw new CommandFailure('stopped: nothing was sent');
}
