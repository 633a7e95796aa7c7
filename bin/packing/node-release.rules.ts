/** The official releases of Node from which the packed app gets its own. */

export interface NodeRelease {
  /** Such as `26.10.0`. */
  version: string;
  /** SHA-256 in hexadecimal digits by the name of the archive. */
  sha256: Readonly<Record<string, string>>;
}

/** A system for which Muster is packed, as `process.platform` and `process.arch` name it. */
export interface Target {
  platform: string;
  arch: string;
}

export interface NodeArchive {
  name: string;
  url: string;
  sha256: string;
  /** The path of the program in the archive. */
  program: string;
  /** The path of the license in the archive. */
  license: string;
}

const targets: readonly Target[] = ['darwin', 'linux', 'win32'].flatMap((platform) =>
  ['arm64', 'x64'].map((arch) => ({ platform, arch })),
);
const digest = /^[0-9a-f]{64}$/;
const address = (version: string, name: string): string => `https://nodejs.org/dist/v${version}/${name}`;

const folderOf = (version: string, { platform, arch }: Target): string =>
  `node-v${version}-${platform === 'win32' ? 'win' : platform}-${arch}`;
const nameOf = (version: string, target: Target): string =>
  `${folderOf(version, target)}.${target.platform === 'win32' ? 'zip' : 'tar.gz'}`;

/** Returns the archive for a system. @throws Error if the release has none, or if its checksum is missing. */
export function archiveFor({ version, sha256 }: NodeRelease, target: Target): NodeArchive {
  const name = nameOf(version, target);
  const expected = sha256[name];
  if (expected === undefined || !digest.test(expected))
    throw new Error(
      `bin/packing/node-release.json has no checksum for ${name}. Pass --node <file>, or run "npm run pin-node -- ${version}" with a connection to nodejs.org.`,
    );
  const folder = folderOf(version, target);
  return {
    name,
    url: address(version, name),
    sha256: expected,
    program: target.platform === 'win32' ? `${folder}/node.exe` : `${folder}/bin/node`,
    license: `${folder}/LICENSE`,
  };
}

export const checksumsAddress = (version: string): string => address(version, 'SHASUMS256.txt');

/** Reads the pins from the text of `SHASUMS256.txt`. @throws Error that names what is missing in it. */
export function pinsFrom(version: string, checksums: string): NodeRelease {
  const lines = new Map(
    checksums.split(/\r?\n/).flatMap((line): [string, string][] => {
      const [sum = '', name = ''] = line.split(/\s+/);
      return digest.test(sum) ? [[name, sum]] : [];
    }),
  );
  const pins = targets.map((target): [string, string] => {
    const name = nameOf(version, target);
    const sum = lines.get(name);
    if (sum === undefined) throw new Error(`SHASUMS256.txt of Node ${version} does not name ${name}.`);
    return [name, sum];
  });
  return { version, sha256: Object.fromEntries(pins) };
}
