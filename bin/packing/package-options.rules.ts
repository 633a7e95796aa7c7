/** The options of `npm run package`: its own, and those that electron-builder gets. */
import type { Target } from './node-release.rules.ts';

export interface PackageOptions {
  /** A program of Node to pack instead of the official release. */
  node: string | undefined;
  nodeLicense: string | undefined;
  /** Uses what is already in `dist` instead of building it. */
  isBuilt: boolean;
  /** Prints `packageUsage` and does nothing else. */
  isHelp: boolean;
  /** The target of the package, which electron-builder derives from the same words. */
  target: Target;
  builderArguments: string[];
}

export const packageUsage = `Usage: npm run package -- [options] [options of electron-builder]
Builds installers of the app in dist/packages.

  --node <file>          packs this program instead of the official release of Node, which is downloaded
  --node-license <file>  the license of that program, if it is not beside it
  --built                packs what is in dist, without building it again
  --linux|--mac|--win    the system; by default, the one on which this runs
  --x64|--arm64          the architecture; by default, that of this machine
  --dir                  leaves the app as a folder, without an installer

"npx --no electron-builder -- --help" lists the options of electron-builder.
`;

const platformByWord: Readonly<Record<string, string>> = {
  '--linux': 'linux',
  '-l': 'linux',
  '--mac': 'darwin',
  '--macos': 'darwin',
  '-m': 'darwin',
  '-o': 'darwin',
  '--win': 'win32',
  '--windows': 'win32',
  '-w': 'win32',
};
/** Words that name several systems, or an architecture in a way that `archByWord` does not know. */
const unclear = /^-[mwlo]{2,}$|^--(?:ia32|armv7l|universal)$|^[A-Za-z]+:(?:x64|arm64|ia32|armv7l|universal)$/;
const archByWord: Readonly<Record<string, string>> = { '--x64': 'x64', '--arm64': 'arm64' };

/** `own` is the system on which it runs. @throws Error for an option without its value, and for two systems at once. */
export function readPackageOptions(words: readonly string[], own: Target): PackageOptions {
  const values: Record<string, string | undefined> = {};
  const builderArguments: string[] = [];
  let isBuilt = false;
  let isHelp = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const [, name, joined] = /^(--node|--node-license)(?:=(.*))?$/.exec(word) ?? [];
    if (name !== undefined) {
      const value = joined ?? words[++at];
      if (!value) throw new Error(`${name} requires a file.`);
      values[name] = value;
    } else if (unclear.test(word))
      throw new Error(`"${word}" is not supported. Pass --linux, --mac, or --win, and --x64 or --arm64.`);
    else if (word === '--built') isBuilt = true;
    else if (word === '--help' || word === '-h') isHelp = true;
    else builderArguments.push(word);
  }
  const only = (what: string, byWord: Readonly<Record<string, string>>, usual: string): string => {
    const found = [...new Set(builderArguments.flatMap((word) => byWord[word] ?? []))];
    if (found.length > 1)
      throw new Error(`pass one ${what} at a time, because each app contains its own Node.`);
    return found[0] ?? usual;
  };
  return {
    node: values['--node'],
    nodeLicense: values['--node-license'],
    isBuilt,
    isHelp,
    target: {
      platform: only('system', platformByWord, own.platform),
      arch: only('architecture', archByWord, own.arch),
    },
    builderArguments,
  };
}
