/**
 * `npm run package`: builds the app, the command, and the documentation, lays out what travels beside them (Node and the licenses), and packs
 * them with electron-builder. `--node <file>` packs that program instead of the official release of Node
 * (`--node-license <file>` if its license is not beside it), and `--built` packs what is in `dist`. Everything else is for electron-builder.
 */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { reasonOf } from '#platform/error-text.ts';
import { buildSite } from '../../docs/build-site.ts';
import { buildDesktop } from '../../electron/build.ts';
import { buildCommand } from '../build.ts';
import { root } from './bundle.ts';
import { layOutLicenses } from './licenses.ts';
import { givenNode, type NodeFiles, releasedNode } from './node-program.ts';
import release from './node-release.json' with { type: 'json' };
import { archiveFor } from './node-release.rules.ts';
import { type PackageOptions, packageUsage, readPackageOptions } from './package-options.rules.ts';

const dist = join(root, 'dist');
/** electron-builder.yml takes its extra resources from here. */
const extras = join(dist, 'extras');

const nodeFor = ({ node, nodeLicense, target }: PackageOptions): Promise<NodeFiles> =>
  node === undefined
    ? releasedNode(archiveFor(release, target), join(dist, 'node-releases'))
    : givenNode(node, nodeLicense);

async function layOutExtras({ target }: PackageOptions, { program, license }: NodeFiles): Promise<void> {
  await rm(extras, { recursive: true, force: true });
  const [node, licenses] = [join(extras, 'node'), join(extras, 'licenses')];
  await mkdir(node, { recursive: true });
  await layOutLicenses(licenses, ['desktop', 'command', 'docs']);
  const programPath = join(node, target.platform === 'win32' ? 'node.exe' : 'node');
  await writeFile(programPath, program);
  await chmod(programPath, 0o755);
  await writeFile(join(licenses, 'node.txt'), license);
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
    await buildSite(join(dist, 'docs'));
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
