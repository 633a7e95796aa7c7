/**
 * For which names the team's own authority may sign (specification/configuration.md#certificates, ADR 0031): a browser
 * that trusts it accepts nothing else from it, such as a certificate for a site on the internet or for an e-mail address.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';

/** A permitted subtree of X.509: a DNS name with everything below it, or a range of addresses. */
export type PermittedName = { kind: 'dns'; name: string } | { kind: 'ip'; address: string; prefix: number };

const ip = (address: string, prefix: number): PermittedName => ({ kind: 'ip', address, prefix });

/** Ranges that only a network of one's own can use, and names that only it can answer. */
const privateNames: readonly PermittedName[] = [
  { kind: 'dns', name: 'local' },
  { kind: 'dns', name: 'localhost' },
  ip('10.0.0.0', 8),
  ip('100.64.0.0', 10),
  ip('127.0.0.0', 8),
  ip('169.254.0.0', 16),
  ip('172.16.0.0', 12),
  ip('192.168.0.0', 16),
  ip('::1', 128),
  ip('fc00::', 7),
  ip('fe80::', 10),
];

/** Of a public IPv6 address, the network of the machine counts as its own, because the rest changes daily. */
const ownPrefix = (address: string): number => (isIPv6(address) ? 64 : 32);

export function isPermitted(name: string, permitted: readonly PermittedName[]): boolean {
  const family = isIP(name);
  if (family === 0) {
    const wanted = name.toLowerCase();
    return permitted.some(
      (one) => one.kind === 'dns' && (wanted === one.name || wanted.endsWith(`.${one.name}`)),
    );
  }
  const ranges = new BlockList();
  for (const one of permitted) {
    if (one.kind === 'ip' && isIP(one.address) === family)
      ranges.addSubnet(one.address, one.prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  return ranges.check(name, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns what the authority of a machine with these names may sign for. */
export function permittedFor(names: readonly string[]): PermittedName[] {
  const permitted = [...privateNames];
  for (const name of names) {
    if (isPermitted(name, permitted)) continue;
    permitted.push(isIP(name) === 0 ? { kind: 'dns', name: name.toLowerCase() } : ip(name, ownPrefix(name)));
  }
  return permitted;
}

const emailTag = 0x81;
const dnsTag = 0x82;
const uriTag = 0x86;
const ipTag = 0x87;
const sequenceTag = 0x30;
const permittedTag = 0xa0;

/** @param content of less than 64 KiB */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (part: string | undefined): number[] =>
    (part ?? '').split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)]));
  const before = groups(head);
  const after = groups(tail);
  const between = Array<number>(8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...between, ...after].flatMap((group) => [group >> 8, group & 255]));
}

/** Returns the network's address followed by its mask, as RFC 5280, 4.2.1.10 says. */
function rangeBytes(address: string, prefix: number): Buffer {
  const bytes = addressBytes(address);
  const mask = Buffer.from(bytes.map((_, at) => 0xff & ~(0xff >> Math.min(8, Math.max(0, prefix - at * 8)))));
  return Buffer.concat([bytes.map((byte, at) => byte & (mask[at] ?? 0)), mask]);
}

/**
 * The only host of which e-mail addresses and URIs are permitted: one that can never exist (RFC 6761, 6.4). To exclude all
 * hosts has no form that OpenSSL knows, and a type that is not named would be permitted.
 */
const noHost = Buffer.from('invalid', 'latin1');

/** Returns the value of the extension in DER, which permits no e-mail address and no URI. */
export function encodeConstraints(permitted: readonly PermittedName[]): Buffer {
  const subtrees = permitted.map((one) =>
    element(
      sequenceTag,
      one.kind === 'dns'
        ? element(dnsTag, Buffer.from(one.name, 'latin1'))
        : element(ipTag, rangeBytes(one.address, one.prefix)),
    ),
  );
  const none = [emailTag, uriTag].map((tag) => element(sequenceTag, element(tag, noHost)));
  return element(sequenceTag, element(permittedTag, Buffer.concat([...subtrees, ...none])));
}

interface Element {
  tag: number;
  content: Buffer;
}

/** Returns the elements that follow each other in DER. */
function elementsOf(der: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 1 < der.length; ) {
    const first = der[at + 1] ?? 0;
    const extra = first < 128 ? 0 : first & 127;
    const length = extra === 0 ? first : der.readUIntBE(at + 2, extra);
    const from = at + 2 + extra;
    elements.push({ tag: der[at] ?? 0, content: der.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}

function rangeOf(bytes: Buffer): PermittedName {
  const half = bytes.length / 2;
  const address = bytes.subarray(0, half);
  const text = half === 4 ? address.join('.') : (address.toString('hex').match(/.{4}/g) ?? []).join(':');
  const mask = BigInt(`0x${bytes.subarray(half).toString('hex')}`).toString(2);
  return ip(text, mask.replaceAll('0', '').length);
}

/** Reads what `encodeConstraints` wrote. */
export function decodeConstraints(der: Buffer): PermittedName[] {
  const [sequence] = elementsOf(der);
  const [subtrees] = elementsOf(sequence?.content ?? Buffer.alloc(0));
  return elementsOf(subtrees?.content ?? Buffer.alloc(0)).flatMap(({ content }): PermittedName[] => {
    const [base] = elementsOf(content);
    if (base?.tag === dnsTag) return [{ kind: 'dns', name: base.content.toString('latin1') }];
    return base?.tag === ipTag ? [rangeOf(base.content)] : [];
  });
}

const constraintsOid = Buffer.from('0603551d1e', 'hex');
const extendedKeyUsageOid = Buffer.from('0603551d25', 'hex');

/** Whether a certificate in DER has limits for names and purposes. Cheaper than reading them. */
export const hasLimits = (der: Buffer): boolean =>
  der.includes(constraintsOid) && der.includes(extendedKeyUsageOid);
