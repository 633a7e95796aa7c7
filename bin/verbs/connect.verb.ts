/**
 * `muster connect`: this device joins a team. It shows a code, waits for the operator, and keeps its own token
 * (RFC 8628; specification/enrollment.md).
 */
import { hostname } from 'node:os';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createBearerCache } from '#client/bearer-cache.ts';
import { ConnectionError } from '#client/connection-error.ts';
import { refusePlainHttp, resolveAddress } from '#client/credentials.ts';
import { createHttpClient } from '#client/http-client.ts';
import { createPins, isFingerprint } from '#client/pins.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { DeviceAuthorization, DeviceToken } from '#protocol/enrollment.ts';
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Env } from '#protocol/paths.ts';
import manifest from '../../package.json' with { type: 'json' };
import { agentFor, connectionOptions } from '../broker-connection.ts';
import { CommandFailure } from '../command-failure.ts';
import { learnAddresses } from '../further-addresses.ts';
import { print, printJson, printJsonLine, remark } from '../output.ts';
import { ownPaths } from '../own-paths.ts';
import { sentences } from '../sentences.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster connect [options]',
  options: {
    url: {
      type: 'string',
      value: '<url>',
      help: 'address of the broker (default: SVC_URL, the only saved address, or http://127.0.0.1:8717)',
    },
    fingerprint: {
      type: 'string',
      value: '<sha256:…>',
      help: 'fingerprint of the broker’s key, as the operator gave it to you',
    },
    'insecure-http': connectionOptions['insecure-http'],
    label: {
      type: 'string',
      value: '<label>',
      help: 'name of this device that the operator sees (default: its host name)',
    },
    json: { type: 'boolean', help: 'print the codes and then the member as JSON, one object per line' },
  },
  notes: [
    'Over HTTPS, the first connection saves the broker’s key, and later connections refuse any other key.',
    'The token is saved in a file that only you can read. It is sent to that address and, if a key was saved, to the team’s other addresses that show the same key.',
  ],
  async run({ values, env }) {
    const paths = ownPaths(env);
    const cache = createBearerCache({ path: paths.authPath });
    // A damaged cache is detected before anybody approves anything.
    const { url } = await resolveAddress({ ...values, env, cache });
    await cache.entries();
    refusePlainHttp({ ...values, env }, url);
    const fingerprint = await confirmedKey(url, values.fingerprint, env);
    const http = createHttpClient({ url, token: null, agent: await agentFor(url, fingerprint) });
    const client = createClient(http.send);
    const labelHint = (values.label ?? hostname()).slice(0, limits.tokenLabel);
    const device = await client.call('enroll', {
      body: { labelHint },
      headers: { 'user-agent': programName },
    });
    show(device, values.json ?? false);
    const { token, member } = await poll(client, device);
    await cache.save(url, token);
    // A broker of a former version names none; the connection works all the same.
    await learnAddresses(http.withToken(token), { cache, url, fingerprint }).catch(() => undefined);
    if (values.json) printJson({ url, member });
    else
      print(
        `\nConnected to ${url} as ${oneLine(member.name)} (${oneLine(member.role.title)}). Try: ${svcCommand} chat`,
      );
    return 0;
  },
});

/** As the operator sees it beside the device's address. */
const programName = `muster/${manifest.version} (${process.platform})`;

function show(device: DeviceAuthorization, json: boolean): void {
  const { userCode, verificationUri, verificationUriComplete, expiresIn, interval } = device;
  if (json) {
    printJsonLine({ userCode, verificationUri, verificationUriComplete, expiresIn, interval });
    return;
  }
  print(`Code: ${oneLine(userCode)}\n`);
  print('Ask an operator of the team to approve it in the desktop app, at');
  print(`  ${oneLine(verificationUriComplete)}`);
  print(`or with: ${svcCommand} enroll approve ${oneLine(userCode)} --member <name>`);
  remark(`Waiting for up to ${Math.round(expiresIn / 60)} minutes. Press Ctrl+C to stop.`);
}

/**
 * Polls at the interval that the broker allows, and more slowly on request. It also polls again if the broker
 * is temporarily unavailable.
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
        else if (error.code !== 'authorization_pending' && error.status < 500) throw refusalOf(error);
      } else if (!(error instanceof ConnectionError) || error.reason === 'tls') throw error;
    }
  }
  throw expired();
}

const expired = (): CommandFailure =>
  new CommandFailure(`the code expired before an operator approved it. Run "${svcCommand} connect" again.`);

/** Returns the failure for a request that will not be approved. */
function refusalOf(error: BrokerError): Error {
  if (error.code === 'access_denied') {
    const reason = error.errorDescription ? `: ${error.errorDescription}` : '';
    return new CommandFailure(
      sentences(`an operator rejected this device${reason}`, 'Ask the operator before you try again.'),
    );
  }
  return error.code === 'expired_token' ? expired() : error;
}

/** The key is given, known, or confirmed by the person the first time; nothing else is accepted. */
async function confirmedKey(url: string, given: string | undefined, env: Env): Promise<string | undefined> {
  if (given !== undefined && !isFingerprint(given))
    throw new UsageError(
      '--fingerprint must be "sha256:" and 64 hexadecimal digits, as the broker prints it',
    );
  if (!url.startsWith('https:')) {
    if (given !== undefined) throw new UsageError('--fingerprint requires an https address');
    return undefined;
  }
  const { readFingerprint } = await import('#client/pinned-agent.ts');
  const pins = createPins({ path: ownPaths(env).pinsPath });
  const known = await pins.find(url);
  const fingerprint = given ?? known ?? (await confirm(url, await shownBy(url, readFingerprint)));
  if (fingerprint !== known) {
    const agent = await agentFor(url, fingerprint);
    // Kept only once the broker has shown it.
    await createClient(createHttpClient({ url, token: null, agent }).send).call('health', {});
    await pins.save(url, fingerprint);
  }
  return fingerprint;
}

async function shownBy(url: string, read: (url: string) => Promise<string>): Promise<string> {
  try {
    return await read(url);
  } catch (error) {
    throw createHttpClient({ url, token: null }).explain(error);
  }
}

async function confirm(url: string, fingerprint: string): Promise<string> {
  const sentence = `${url} presents the key ${fingerprint}.`;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailure(
      `${sentence} Compare it with the fingerprint that the operator sees, and then pass "--fingerprint ${fingerprint}".`,
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines
    .question(`${sentence}\nDoes the operator see the same fingerprint? [y/N]: `)
    .finally(() => lines.close());
  if (/^y(es)?$/i.test(answer.trim())) return fingerprint;
  throw new CommandFailure(
    'the fingerprint was not confirmed, and nothing was sent. Ask the operator for the correct one.',
  );
}
