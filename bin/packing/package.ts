/**
 * `npm run package`: builds the app and the command, lays out what travels beside them (Node and the licenses), and packs
 * them with electron-builder. `--node <file>` packs that program instead of the official release of Node
 * (`--node-license <file>` if its license is not beside it), and `--built` packs what is in `dist`. Everything else is for electron-builder.
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { reasonOf } from '#platform/error-text.ts';
import { buildDesktop } from '../../electron/build.ts';
import { buildCommand } from '../build.ts';
import { root } from './bundle.ts';
import { givenNode, type NodeFiles, releasedNode } from './node-program.ts';
import release from './node-release.json' with { type: 'json' };
import { archiveFor } from './node-release.rules.ts';
import { thirdPartyNotices } from './notices.rules.ts';
import { type PackageOptions, packageUsage, readPackageOptions } from './package-options.rules.ts';
import { readPackage } from './read-packages.ts';

const dist = join(root, 'dist');
/** electron-builder.yml takes its extra resources from here. */
const extras = join(dist, 'extras');
/** Copied as they are, or built into a style sheet, which the bundler does not list. */
const otherPackages = ['node_modules/better-sqlite3', 'node_modules/tailwindcss'];

const nodeFor = ({ node, nodeLicense, target }: PackageOptions): Promise<NodeFiles> =>
  node === undefined
    ? releasedNode(archiveFor(release, target), join(dist, 'node-releases'))
    : givenNode(node, nodeLicense);

async function bundledPackages(): Promise<string[]> {
  const lists = ['desktop', 'command'].map(
    async (name): Promise<string[]> =>
      JSON.parse(await readFile(join(dist, `${name}.packages.json`), 'utf8')),
  );
  return [...new Set([...(await Promise.all(lists)).flat(), ...otherPackages])];
}

async function layOutExtras({ target }: PackageOptions, { program, license }: NodeFiles): Promise<void> {
  const notices = thirdPartyNotices(
    (await bundledPackages()).map((folder) => readPackage(join(root, folder))),
  );
  await rm(extras, { recursive: true, force: true });
  const [node, licenses] = [join(extras, 'node'), join(extras, 'licenses')];
  await Promise.all([node, licenses].map((folder) => mkdir(folder, { recursive: true })));
  const programPath = join(node, target.platform === 'win32' ? 'node.exe' : 'node');
  await writeFile(programPath, program);
  await chmod(programPath, 0o755);
  await copyFile(join(root, 'LICENSE'), join(licenses, 'muster.txt'));
  await writeFile(join(licenses, 'node.txt'), license);
  await writeFile(join(licenses, 'third-party.txt'), notices);
}

async function packageApp(words: readonly string[]): Promise<number> {
  const options = readPackageOptions(words, { platform: process.platform, arch: process.arch });
  if (options.isHelp) {
    process.stdout.write(packageUsage);
    return 0;
  }
  // Before the build, because it fails more often.
  const files = await nodeFor(options);
  if (!options.isBuilt) {
    await buildDesktop(join(dist, 'desktop'));
    await buildCommand(join(dist, 'command'));
  }
  await layOutExtras(options, files);
  const builder = fileURLToPath(import.meta.resolve('electron-builder/cli.js'));
  const { status } = spawnSync(process.execPath, [builder, ...options.builderArguments], {
    cwd: root,
    stdio: 'inherit',
  });
  return status ?? 1;
}

process.exitCode = await packageApp(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`package: ${reasonOf(error)}`);
  return 1;
});
