/**
 * The team's own certificates for HTTPS on the LAN: a local authority, and a leaf on P-256 for this machine's
 * names. A fingerprint is of the public key, so a leaf that is issued again under the same key keeps it.
 * Loaded only when certificates are created (specification/configuration.md#certificates).
 */
import 'reflect-metadata';
import { createPublicKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import {
  decodeConstraints,
  encodeConstraints,
  type PermittedName,
  permittedFor,
} from './name-constraints.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
const authorityDays = 3650;
/** The longest validity that browsers accept for a leaf. */
const leafDays = 397;
/** Not every clock on a LAN is right. */
const backdatedMs = dayMs;

export interface KeyAndCertificate {
  /** PKCS #8, PEM. */
  key: string;
  /** PEM; for a leaf, the leaf followed by its authority. */
  certificate: string;
}

const pem = (label: string, der: ArrayBuffer): string => x509.PemConverter.encode(der, label);

async function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function importKey(key: string): Promise<webcrypto.CryptoKeyPair> {
  const der = x509.PemConverter.decodeFirst(key);
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const spki = createPublicKey({ key, format: 'pem' }).export({ type: 'spki', format: 'der' });
  const publicKey = await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']);
  return { privateKey, publicKey };
}

const exported = async (key: webcrypto.CryptoKey): Promise<string> =>
  pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', key));

/** Positive, as a serial number must be. */
const serialNumber = (): string => `01${randomBytes(15).toString('hex')}`;

function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - backdatedMs), notAfter: new Date(now + days * dayMs) };
}

/** A name in a certificate may contain anything except what would end it. */
const commonName = (name: string): string => `CN=${name.replaceAll(/[^\p{L}\p{N} ._-]/gu, ' ').slice(0, 48)}`;

const constraintsOid = '2.5.29.30';

interface AuthorityRequest {
  teamName: string;
  /** The machine's names, for which the authority may sign beside private ones. */
  names: readonly string[];
  now: number;
}

/** Creates an authority of this team's own, for ten years. */
export async function createAuthority(request: AuthorityRequest): Promise<KeyAndCertificate> {
  return signAuthority(await keyPair(), commonName(`Muster ${request.teamName}`), request);
}

/**
 * Issues the authority again under its key and its subject, so that certificates which it signed stay valid, and
 * those who trust the former one accept new ones until the former one ends.
 */
export async function renewAuthority(
  { key, certificate }: KeyAndCertificate,
  request: Omit<AuthorityRequest, 'teamName'>,
): Promise<KeyAndCertificate> {
  return signAuthority(await importKey(key), new x509.X509Certificate(certificate).subject, request);
}

async function signAuthority(
  keys: webcrypto.CryptoKeyPair,
  name: string,
  { names, now }: Omit<AuthorityRequest, 'teamName'>,
): Promise<KeyAndCertificate> {
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name,
    ...validity(now, authorityDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      // Of an authority, this limits what it signs: no e-mail, no code, and no login with a certificate.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.Extension(constraintsOid, true, encodeConstraints(permittedFor(names))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await exported(keys.privateKey), certificate: certificate.toString('pem') };
}

/** Returns for what the authority may sign; null for one of a former version, which had no limits. */
export function permittedBy(certificate: string): PermittedName[] | null {
  const extension = new x509.X509Certificate(certificate).getExtension(constraintsOid);
  return extension === null ? null : decodeConstraints(Buffer.from(extension.value));
}

export interface LeafRequest {
  authority: KeyAndCertificate;
  /** Host names and addresses; the first one names the certificate. */
  names: readonly string[];
  now: number;
  /** PEM of the present key, with which the new certificate keeps its fingerprint. */
  key?: string;
}

/** Issues a server certificate for 397 days, followed by its authority. */
export async function issueLeaf({ authority, names, now, key }: LeafRequest): Promise<KeyAndCertificate> {
  const keys = key === undefined ? await keyPair() : await importKey(key);
  const issuer = new x509.X509Certificate(authority.certificate);
  const signer = await importKey(authority.key);
  const alternatives = names.map((name) => ({
    type: isIP(name) ? ('ip' as const) : ('dns' as const),
    value: name,
  }));
  const { notBefore, notAfter } = validity(now, leafDays);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    // With a space, so that no client takes it for a host name, which the limits of the authority would refuse.
    subject: commonName(`Muster ${names[0] ?? 'broker'}`),
    issuer: issuer.subject,
    notBefore,
    notAfter: new Date(Math.min(notAfter.getTime(), issuer.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives),
      await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    key: await exported(keys.privateKey),
    certificate: `${certificate.toString('pem')}\n${authority.certificate}\n`,
  };
}
