/** Reads the licenses of packages from their folders. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundledPackage, isLicenseFile } from './notices.rules.ts';

interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
  author?: string | { name?: string };
  homepage?: string;
}

export function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, author, homepage } = manifest;
  return {
    name,
    version,
    license: (typeof license === 'object' ? license.type : license) ?? null,
    author: (typeof author === 'object' ? author.name : author) ?? null,
    homepage: homepage ?? null,
    texts: readdirSync(folder)
      .filter(isLicenseFile)
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  };
}
