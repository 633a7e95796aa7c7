import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import release from './node-release.json' with { type: 'json' };
import { archiveFor, pinsFrom } from './node-release.rules.ts';

const systems = ['darwin', 'linux', 'win32'].flatMap((platform) =>
  ['arm64', 'x64'].map((arch) => ({ platform, arch })),
);

describe('the pinned release', () => {
  it.each(systems)('has an archive with a checksum for $platform and $arch', (target) => {
    const { name, url, sha256 } = archiveFor(release, target);
    expect(url).toBe(`https://nodejs.org/dist/v${release.version}/${name}`);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the version that development uses', () => {
    expect(release.version).toBe(manifest.optionalDependencies.node);
  });

  it('has different checksums', () => {
    expect(new Set(Object.values(release.sha256)).size).toBe(systems.length);
  });
});

describe('an archive', () => {
  const release = { version: '9.1.0', sha256: { 'node-v9.1.0-win-x64.zip': 'a'.repeat(64) } };

  it('is a zip with node.exe at its top for Windows', () => {
    expect(archiveFor(release, { platform: 'win32', arch: 'x64' })).toMatchObject({
      name: 'node-v9.1.0-win-x64.zip',
      program: 'node-v9.1.0-win-x64/node.exe',
      license: 'node-v9.1.0-win-x64/LICENSE',
    });
  });

  it('is refused without a checksum, with what to do', () => {
    for (const sha256 of [{}, { 'node-v9.1.0-linux-x64.tar.gz': '' }])
      expect(() => archiveFor({ version: '9.1.0', sha256 }, { platform: 'linux', arch: 'x64' })).toThrow(
        'bin/packing/node-release.json has no checksum for node-v9.1.0-linux-x64.tar.gz. Pass --node <file>, or run "npm run pin-node -- 9.1.0" with a connection to nodejs.org.',
      );
  });
});

describe('pins from SHASUMS256.txt', () => {
  const names = [
    'darwin-arm64.tar.gz',
    'darwin-x64.tar.gz',
    'linux-arm64.tar.gz',
    'linux-x64.tar.gz',
    'win-arm64.zip',
    'win-x64.zip',
  ].map((end) => `node-v9.1.0-${end}`);
  const line = (name: string, at: number) => `${String(at).repeat(64)}  ${name}`;

  it('are those of the archives that are packed', () => {
    const text = [...names, 'node-v9.1.0.pkg', 'win-x64/node.exe'].map(line).join('\n');
    expect(pinsFrom('9.1.0', `${text}\n`)).toEqual({
      version: '9.1.0',
      sha256: Object.fromEntries(names.map((name, at) => [name, String(at).repeat(64)])),
    });
  });

  it('are refused if an archive is missing', () => {
    const text = names.slice(1).map(line).join('\n');
    expect(() => pinsFrom('9.1.0', text)).toThrow('does not name node-v9.1.0-darwin-arm64.tar.gz');
  });
});
