/** The notices of third parties that travel with the packed app. */

export interface BundledPackage {
  name: string;
  version: string;
  /** As its manifest declares it, an SPDX expression such as `MIT`; null if it declares none. */
  license: string | null;
  author: string | null;
  homepage: string | null;
  /** The contents of its license and notice files. */
  texts: readonly string[];
}

/** Packages that declare the MIT license and publish no file with its text. Their manifests name the author. */
const withoutText: ReadonlySet<string> = new Set([
  'abstract-logging',
  'http_ece',
  'lazy-val',
  'pg-types',
  'pgpass',
]);

/** Packages that publish no text, and one from the same repository, with the same license, that does. */
const textElsewhere: ReadonlyMap<string, string> = new Map([
  ['@aws-sdk/credential-provider-http', '@aws-sdk/client-s3'],
  ['@aws-sdk/credential-provider-login', '@aws-sdk/client-s3'],
  ['@aws-sdk/nested-clients', '@aws-sdk/client-s3'],
]);

const mitText = (author: string): string => `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Whether a file in the folder of a package is a license or a notice. */
export const isLicenseFile = (name: string): boolean =>
  /^(?:licen[cs]es?|copying|notices?)(?:[.-][\w.-]+)?$/i.test(name) && !/\.(?:[cm]?[jt]s|json)$/i.test(name);

const textsIn = ({ texts }: BundledPackage): readonly string[] =>
  texts.map((text) => text.trim()).filter((text) => text !== '');

function textsOf(one: BundledPackage, packages: readonly BundledPackage[]): readonly string[] {
  const { name, license, author } = one;
  const own = textsIn(one);
  if (own.length > 0) return own;
  const other = packages.find((each) => each.name === textElsewhere.get(name) && each.license === license);
  if (other !== undefined) return textsIn(other);
  return withoutText.has(name) && license === 'MIT' && author !== null ? [mitText(author)] : [];
}

/**
 * Returns the text of the file, sorted by name and version. @throws Error that names each package without a license or
 * its text.
 */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
  const faults = packages
    .filter((one) => one.license === null || textsOf(one, packages).length === 0)
    .map(({ name, version }) => `${name}@${version}`);
  if (faults.length > 0)
    throw new Error(
      `these packages are in the app but have no license text: ${faults.join(', ')}. Replace them, or add what bin/packing/notices.rules.ts needs.`,
    );
  const title = ({ name, version }: BundledPackage): string => `${name} ${version}`;
  const byTitle = new Map(packages.map((one) => [title(one), one]));
  const sections = [...byTitle.keys()].sort().map((key) => {
    const one = byTitle.get(key) as BundledPackage;
    const head = [key, `License: ${one.license}`, ...(one.homepage === null ? [] : [one.homepage])];
    return [head.join('\n'), ...textsOf(one, packages)].join('\n\n');
  });
  const line = '-'.repeat(80);
  return [
    'Muster contains the following software of third parties. Electron and Node.js have files of their own.',
    ...sections,
  ]
    .join(`\n\n${line}\n\n`)
    .concat('\n');
}
