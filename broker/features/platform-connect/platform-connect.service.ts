/** Binding a hosted control plane, which can then sign in as anyone (specification/platform.md). */
import { z } from 'zod';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import type { PlatformBind, PlatformBound, PlatformLookup } from '#protocol/platform-connect.ts';
import type { PlatformJwt, PlatformOverlay } from '../../config/platform-overlay.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { type Outbound, OutboundError, type OutboundReply } from '../../runtime/outbound-fetch.ts';
import { hashToken } from '../../security/token.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import type { PlatformConnectUnits } from './platform-connect.sqlite.ts';

export interface PlatformConnect {
  /**
   * Asks the platform for its description, writes it beside the configuration, and applies it at once.
   * @throws BrokerError bad_request if the platform is not acceptable or does not know the code, unavailable
   *   if its answer is not as specified; then nothing is written.
   */
  bind(by: MemberName, request: PlatformBind): Promise<PlatformBound>;
  /** Works once per code. Failures count for `source`. @throws BrokerError not_found, rate_limited. */
  lookUp(code: string, source: string): Promise<PlatformLookup>;
}

export interface PlatformConnectDeps {
  units: PlatformConnectUnits;
  overlay: PlatformOverlay;
  outbound: Outbound;
  audit: Pick<Audit, 'entry' | 'onPlatformWritten'>;
  members: Members;
  /** Counts failed lookups per source. */
  failures: RateLimit;
  clock: Clock;
  log: Log;
}

const fetchTimeoutMs = 10_000;
const maxReplyBytes = 64 * 1024;

const Description = z.object({
  issuer: z.url({ protocol: /^https?$/ }).max(2048),
  jwksUrl: z.url({ protocol: /^https?$/ }).max(2048),
  teamId: z.guid(),
});

/** `<platformUrl>/.well-known/svc-platform?code=…`; a query or fragment of the platform's URL is dropped. */
function descriptionUrl(platformUrl: string, pairingCode: string): string {
  const url = new URL(platformUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/.well-known/svc-platform`;
  url.search = new URLSearchParams({ code: pairingCode }).toString();
  url.hash = '';
  return url.href;
}

function parse(body: Buffer): PlatformJwt | null {
  let document: unknown;
  try {
    document = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  const description = Description.safeParse(document);
  if (!description.success) return null;
  const { issuer, jwksUrl, teamId } = description.data;
  return { issuer, audience: `team:${teamId}`, jwksUrl };
}

export function createPlatformConnect(deps: PlatformConnectDeps): PlatformConnect {
  const { units, overlay, outbound, audit, members, failures, clock, log } = deps;
  const inTurn = createSerialQueue();

  async function ask(url: string): Promise<OutboundReply> {
    try {
      return await outbound.send(url, {
        purpose: 'platform_connect',
        headers: { accept: 'application/json' },
        timeoutMs: fetchTimeoutMs,
        maxBytes: maxReplyBytes,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.refused) refuse('platform_url_refused', { cause: error.message });
      return refuse('platform_unreachable', { cause: error.message });
    }
  }

  async function describe({ platformUrl, pairingCode }: PlatformBind): Promise<PlatformJwt> {
    const fault = outbound.faultOf(platformUrl);
    if (fault !== null) refuse('platform_url_invalid', { fault });
    const reply = await ask(descriptionUrl(platformUrl, pairingCode));
    if (reply.status >= 400 && reply.status < 500) {
      refuse('pairing_code_refused', { status: reply.status });
    }
    const jwt = reply.status === 200 ? parse(reply.body) : null;
    if (jwt === null) {
      refuse('not_a_platform');
    }
    const keysFault = outbound.faultOf(jwt.jwksUrl);
    if (keysFault !== null) refuse('platform_keys_url_invalid', { fault: keysFault });
    return jwt;
  }

  return {
    bind: (by, request) =>
      inTurn(async () => {
        const jwt = await describe(request);
        const before = overlay.jwt;
        const boundAt = clock();
        await overlay.write(jwt);
        try {
          await units.putPairing({
            pairing: { codeHash: hashToken(request.pairingCode), member: by, boundAt },
            audit: audit.entry('platform_bound', {
              subject: jwt.issuer,
              before: before && { ...before },
              after: { ...jwt },
            }),
          });
        } catch (error) {
          await overlay
            .write(before)
            .catch((err: unknown) =>
              log.error({ err }, 'a binding that failed could not be undone: bind again'),
            );
          throw error;
        }
        await audit.onPlatformWritten();
        log.warn(
          { by, issuer: jwt.issuer, audience: jwt.audience },
          'a platform was bound: it can sign in as any member',
        );
        return { ok: true, memberName: by, jwt };
      }),
    async lookUp(code, source) {
      // Counted before the lookup, so that parallel attempts cannot slip through; a correct code is not
      // counted.
      const uncount = failures.admit(source, 'too_many_lookups');
      const pairing = await units.claimPairing({ codeHash: hashToken(code) });
      if (pairing === undefined) refuse('unknown_pairing_code');
      uncount();
      return { team: members.team().name, memberName: pairing.member, boundAt: pairing.boundAt };
    },
  };
}
