/** An authority as former versions created it: it may sign for any purpose, and in the oldest ones for any name. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import * as x509 from '@peculiar/x509';
import { encodeConstraints, permittedFor } from '../../security/name-constraints.ts';
import { tlsFiles } from '../https-block.ts';

const dayMs = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Replaces the certificate of an authority that exists. Its key and its name stay. Returns the new one as PEM.
 * @param names for which it may sign; any if they are absent
 */
export async function writeUnlimitedAuthority(
  configPath: string,
  names?: readonly string[],
): Promise<string> {
  const files = tlsFiles(configPath);
  const der = x509.PemConverter.decodeFirst(await readFile(files.authorityKey, 'utf8'));
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const present = new x509.X509Certificate(await readFile(files.authority, 'utf8'));
  const publicKey = await webcrypto.subtle.importKey('spki', present.publicKey.rawData, algorithm, true, [
    'verify',
  ]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: present.subject,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 3000 * dayMs),
    signingAlgorithm: algorithm,
    keys: { privateKey, publicKey },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      ...(names === undefined
        ? []
        : [new x509.Extension('2.5.29.30', true, encodeConstraints(permittedFor(names)))]),
    ],
  });
  const pem = authority.toString('pem');
  await writeFile(files.authority, pem);
  return pem;
}
