/**
 * How a device on another machine joins. Tray, console, command line, and README all show this text, so that
 * none of them names an address that only this machine can reach.
 */
import { isLoopback } from './loopback.ts';

/** A listener of the broker. */
export interface Reachable {
  url: string;
  /** `sha256:` and the hex of the public key; null for plain HTTP, and for a certificate that others vouch for. */
  fingerprint: string | null;
}

export type JoinWay =
  /** `note` says what the person must know to run the command. */
  | { kind: 'open'; command: string; note: string }
  /** No other machine can reach the broker. `remedy` says how to change that where there is no switch. */
  | { kind: 'closed'; remedy: string };

/** The information that the person needs to run the command. */
export const whereMusterIs =
  'The other machine needs Muster: its package or the desktop app. In a checkout of it, write “node bin/muster” instead of “muster”.';
const noNetwork = 'This machine has no network address now, so no other machine can reach it at this one.';
const remedy =
  'The broker can be reached only from its own machine. To open it to the network, turn on LAN access in the desktop app there, or run “muster setup --https” and start the broker again.';

/** Returns the command to run on the other machine. */
export const joinCommand = ({ url, fingerprint }: Reachable): string =>
  [
    `muster connect --url ${url}`,
    ...(fingerprint === null ? [] : [`--fingerprint ${fingerprint}`]),
    ...(url.startsWith('http:') ? ['--insecure-http'] : []),
  ].join(' ');

/**
 * Chooses how another machine reaches the broker: its own HTTPS, else the address at which this page was
 * opened through a proxy, else plain HTTP that the operator opened to the network.
 *
 * @param origin The address at which a browser reached the broker, if one did.
 */
export function joinWay(listeners: readonly Reachable[], origin?: string): JoinWay {
  const candidates = [
    ...listeners.filter(({ fingerprint }) => fingerprint !== null),
    ...(origin?.startsWith('https:') ? [{ url: origin, fingerprint: null }] : []),
    ...listeners.filter(({ url }) => isRemote(url)),
  ].filter(({ url }) => isPlain(url));
  const chosen = candidates.find(({ url }) => isRemote(url)) ?? candidates[0];
  if (chosen === undefined) return { kind: 'closed', remedy };
  const note = isRemote(chosen.url) ? whereMusterIs : `${noNetwork} ${whereMusterIs}`;
  return { kind: 'open', command: joinCommand(chosen), note };
}

/** Whether a shell reads the address as one word. A host may have characters such as `$` and `;`. */
const isPlain = (url: string): boolean => /^[\w.:[\]-]+$/.test(new URL(url).host);

const isRemote = (url: string): boolean => !isLoopback(new URL(url).hostname);
