/** The checks of `muster doctor` over the network: address, version, clock, token, and live stream. */

import type { Agent } from 'node:https';
import { type CredentialRequest, resolveAddress, resolveBearer } from '#client/credentials.ts';
import { createHttpClient, type HttpClient } from '#client/http-client.ts';
import { followMessages } from '#client/live-stream.ts';
import type { NamedStores } from '#platform/store-places.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { createClient, errorOf, requestOf } from '#protocol/client.ts';
import { BrokerError, isRefusedFor } from '#protocol/errors.ts';
import { Health } from '#protocol/health.ts';
import { limits } from '#protocol/limits.ts';
import { isLoopback } from '#protocol/loopback.ts';
import { confirmedKey, pinnedAgent } from '../broker-connection.ts';
import { furtherAddresses } from '../further-addresses.ts';
import { checkDiagnostics } from './diagnostics-checks.ts';
import { type Finding, fail, failed, ok, skip, warn } from './finding.ts';

const timeoutMs = 5_000;
const tolerableSkewMs = 5_000;
const tokenRemedy = `pass another token with --token, or run "${svcCommand} connect" to get a new one`;

/** `configured`: the stores that the configuration of this machine names. */
export async function checkBroker(
  request: CredentialRequest,
  configured: NamedStores | null,
): Promise<Finding[]> {
  const address = await attempt(() => resolveAddress(request));
  if (address instanceof Error)
    return [
      failed('address', address, 'pass the address with --url'),
      ...skipped('broker', 'token', 'live stream'),
    ];
  const found = ok('address', `${address.url} (from ${address.from})`);
  const agent = await pinnedAgent(address.url, request.env);
  const reached = await checkHealth(createHttpClient({ url: address.url, token: null, timeoutMs, agent }));
  reached.push(...(await checkFurther(request, address.url)));
  if (reached.some(({ status }) => status === 'fail'))
    return [found, ...reached, ...skipped('token', 'live stream')];
  return [found, ...reached, ...(await checkToken(request, address.url, agent, configured))];
}

const skipped = (...checks: string[]) =>
  checks.map((check) => skip(check, 'not tested because an earlier check failed'));

/** The addresses of other machines of the team, at which commands go on. */
async function checkFurther(request: CredentialRequest, url: string): Promise<Finding[]> {
  const bearer = await attempt(() => resolveBearer(request, url));
  if (bearer instanceof Error) return [];
  const fingerprint = await confirmedKey(url, request.env);
  const further = await furtherAddresses(bearer.addresses ?? [], { url, fingerprint });
  return Promise.all(
    further.map(async ({ url: one, agent }) => {
      const findings = await checkHealth(createHttpClient({ url: one, token: null, timeoutMs, agent }));
      const fault = findings.find(({ status }) => status === 'fail');
      if (fault === undefined) return ok('further address', `${one} answers`);
      return warn('further address', fault.detail, 'start that machine, or check the network to it');
    }),
  );
}

async function checkHealth(http: HttpClient): Promise<Finding[]> {
  const before = Date.now();
  const reply = await attempt(() => http.send(requestOf('health', {})));
  if (reply instanceof Error) return [failed('broker', reply, 'check the address and the broker’s log')];
  const after = Date.now();
  const text = await reply.text();
  const health = Health.safeParse(parseJson(text));
  const protocol = reply.headers.get('x-svc-protocol');
  const refused = reply.status === 200 ? null : errorOf(reply.status, text, null);
  if (refused !== null && isRefusedFor(refused, 'store_lost'))
    return [fail('broker', refused.message, 'stop the broker before you change its files')];
  if (reply.status !== 200 || !health.success)
    return [
      fail('broker', `${http.url} answered ${reply.status}, and is not a broker`, 'correct the address'),
    ];
  const findings = [ok('broker', `version ${health.data.version}, answered in ${after - before} ms`)];
  const expected = String(limits.protocolVersion);
  findings.push(
    protocol === expected
      ? ok('protocol', `version ${protocol}`)
      : fail(
          'protocol',
          `the broker uses version ${protocol}, and this program uses version ${expected}`,
          'install the same version of both',
        ),
  );
  return [...findings, checkClock(reply.headers.get('date'), before, after)];
}

/** The header counts whole seconds, so a difference of one second means nothing. */
function checkClock(date: string | null, before: number, after: number): Finding {
  const there = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(there)) return skip('clock', 'the broker did not send its time');
  const skewMs = Math.max(there - after, before - (there + 1000), 0);
  if (skewMs <= tolerableSkewMs) return ok('clock', 'matches the broker’s clock');
  const seconds = Math.round(skewMs / 1000);
  return warn(
    'clock',
    `differs from the broker’s clock by ${seconds} s`,
    'synchronize both clocks with a time server, because TOTP codes depend on the time',
  );
}

async function checkToken(
  request: CredentialRequest,
  url: string,
  agent: Agent | undefined,
  configured: NamedStores | null,
): Promise<Finding[]> {
  const bearer = await attempt(() => resolveBearer(request, url));
  if (bearer instanceof Error) return [failed('token', bearer, tokenRemedy), ...skipped('live stream')];
  const http = createHttpClient({ url, token: bearer.token, timeoutMs, agent });
  const briefing = await attempt(() => createClient(http.send).call('briefing', {}));
  if (briefing instanceof BrokerError && briefing.status === 503)
    return [
      fail('token', briefing.message, 'set up the broker, or wait until it has started'),
      ...skipped('live stream'),
    ];
  if (briefing instanceof Error) return [failed('token', briefing, tokenRemedy), ...skipped('live stream')];
  const member = ok('token', `from ${bearer.from}: ${briefing.name} of "${briefing.team.name}"`);
  return [
    member,
    await checkStream(http, briefing.name),
    ...(await checkDiagnostics(
      createClient(http.send),
      isLoopback(new URL(url).hostname) ? configured : null,
    )),
  ];
}

async function checkStream(http: HttpClient, name: string): Promise<Finding> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  const remedy = 'check whether a proxy between this machine and the broker buffers streams';
  let finding = fail('live stream', `no data arrived within ${timeoutMs / 1000} s`, remedy);
  const failure = await attempt(() =>
    followMessages({
      http,
      name,
      signal: stop.signal,
      onMessage: () => {},
      onState(state) {
        if (state.state === 'connected') finding = ok('live stream', 'connected');
        if (state.state === 'lost') finding = fail('live stream', state.reason, remedy);
        stop.abort();
      },
    }),
  );
  clearTimeout(timer);
  return failure instanceof Error ? failed('live stream', failure, remedy) : finding;
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Error> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
