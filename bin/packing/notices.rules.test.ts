import { expect, test } from 'vitest';
import { type BundledPackage, isLicenseFile, thirdPartyNotices } from './notices.rules.ts';

const one: BundledPackage = {
  name: 'one',
  version: '1.0.0',
  license: 'MIT',
  author: null,
  homepage: 'https://one.example',
  texts: ['Copyright One\n'],
};

test('names each package once, with its license and the text', () => {
  const two = { ...one, name: '@a/two', license: 'MPL-2.0', homepage: null, texts: ['MPL', 'NOTICE'] };
  const text = thirdPartyNotices([one, two, one]);
  expect(text).toContain('@a/two 1.0.0\nLicense: MPL-2.0\n\nMPL\n\nNOTICE\n');
  expect(text).toContain('one 1.0.0\nLicense: MIT\nhttps://one.example\n\nCopyright One\n');
  expect(text.indexOf('@a/two')).toBeLessThan(text.indexOf('one 1.0.0'));
  expect(text.split('one 1.0.0')).toHaveLength(2);
});

test('fails with the names of packages without a license or its text', () => {
  const bare = { ...one, name: 'bare', texts: [' \n'] };
  const undeclared = { ...one, name: 'undeclared', license: null };
  expect(() => thirdPartyNotices([one, bare, undeclared])).toThrow(
    'these packages are in the app but have no license text: bare@1.0.0, undeclared@1.0.0.',
  );
});

test('has the MIT text, with the author of the manifest, for the listed packages that publish none', () => {
  const listed = { ...one, name: 'lazy-val', author: 'Ada', texts: [] };
  expect(thirdPartyNotices([listed])).toContain('Copyright (c) Ada\n\nPermission is hereby granted');
  for (const unclear of [{ author: null }, { license: 'ISC' }, { name: 'other' }])
    expect(() => thirdPartyNotices([{ ...listed, ...unclear }])).toThrow('have no license text');
});

test.each([
  ['LICENSE', true],
  ['license', true],
  ['LICENCE.md', true],
  ['LICENSE-MIT.txt', true],
  ['COPYING', true],
  ['NOTICE', true],
  ['license.js', false],
  ['licenses.json', false],
  ['README.md', false],
])('%s is a license file: %s', (name, expected) => {
  expect(isLicenseFile(name)).toBe(expected);
});

test('takes the text of a package that publishes none from the one of the same repository that does', () => {
  const other = { ...one, name: '@aws-sdk/client-s3', license: 'Apache-2.0', texts: ['the Apache License'] };
  const bare = { ...other, name: '@aws-sdk/nested-clients', texts: [] };
  expect(thirdPartyNotices([other, bare]).match(/the Apache License/g)).toHaveLength(2);
  expect(() => thirdPartyNotices([other, { ...bare, license: 'MIT' }])).toThrow(
    'no license text: @aws-sdk/nested-clients',
  );
});
