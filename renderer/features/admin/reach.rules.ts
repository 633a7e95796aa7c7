/** The reach of the broker: from where it can be used, as far as it reports that (specification/console.md#network). Pure. */
import type { Diagnostics } from '#protocol/diagnostics.ts';
import { isLoopback } from '#protocol/loopback.ts';
import type { Condition } from './needs-attention.rules.ts';

export interface ReachFacts extends Pick<Diagnostics, 'listeners' | 'federation'> {
  /** The address at which this page was opened, or the one that the desktop app uses. */
  origin: string | undefined;
  /** Why the desktop app could not open LAN access when it started. */
  lanFault: string | null;
  /** The machines that stand by for this one; null if it is the only one, and in a browser. */
  standby: {
    active: object | null;
    others: readonly { isThere: boolean; isComplete: boolean }[];
  } | null;
}

export interface Reach {
  /** Always true of what the broker reports, and followed by the conditions. */
  sentence: string;
  conditions: Condition[];
}

/** A broker that listens on all interfaces calls itself that while its machine has no network address. */
const noAddress = 'localhost';
const hostOf = (url: string): string => new URL(url).hostname;
export const isRemote = (url: string): boolean => !isLoopback(hostOf(url));

const ofPlain = (url: string, hasHttps: boolean): Condition => ({
  key: `plain ${url}`,
  sentence: `The broker answers other machines at ${url} without encryption, so the network between can read tokens and messages. ${hasHttps ? 'Start it again without --insecure-http.' : 'Set up HTTPS, and start it again without --insecure-http.'}`,
  mend: hasHttps ? null : { kind: 'command', text: 'muster setup --https' },
});

const ofNoAddress: Condition = {
  key: 'no address',
  sentence:
    'HTTPS is on, but the broker’s machine has no network address now, so no other machine can reach it. Connect it to a network.',
  mend: null,
};

function ofStandby(standby: ReachFacts['standby']): Condition[] {
  if (standby === null) return [];
  const canTakeOver = standby.others.some(({ isThere, isComplete }) => isThere && isComplete);
  return [
    ...(standby.active === null
      ? [{ key: 'active', sentence: 'No machine is active now.', mend: null }]
      : []),
    ...(canTakeOver
      ? []
      : [{ key: 'others', sentence: 'No other machine that stands by could take over now.', mend: null }]),
  ];
}

export function reachOf({ listeners, federation, origin, lanFault, standby }: ReachFacts): Reach {
  const urls = listeners.map(({ url }) => url);
  const https = urls.filter((url) => url.startsWith('https:'));
  const remoteHttps = https.filter(isRemote);
  const remotePlain = urls.filter((url) => url.startsWith('http:') && isRemote(url));
  const proxied = origin?.startsWith('https:') && isRemote(origin) && !urls.includes(origin) ? origin : null;
  const places = [
    ...remoteHttps,
    ...(proxied !== null && remoteHttps.length === 0 ? [proxied] : []),
    ...remotePlain,
  ];
  const who =
    places.length === 0
      ? 'Only the broker’s own machine can reach it.'
      : `Other machines that reach ${places.join(' or ')} can use this broker.`;
  const logins =
    federation === null
      ? 'No outside platform logs members in.'
      : `The platform ${federation.issuer} also logs members in.`;
  const conditions = [
    ...(lanFault === null
      ? []
      : [{ key: 'lan', sentence: `LAN access was on, and could not be opened: ${lanFault}`, mend: null }]),
    ...(https.some((url) => hostOf(url) === noAddress) ? [ofNoAddress] : []),
    // Behind a proxy, which encrypts, plain HTTP is what it should be.
    ...(proxied === null ? remotePlain.map((url) => ofPlain(url, https.length > 0)) : []),
    ...ofStandby(standby),
  ];
  const needs = conditions.length === 0 ? ['Nothing here needs you.'] : [];
  return { sentence: [who, logins, ...needs].join(' '), conditions };
}
