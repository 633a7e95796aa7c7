/** Builds what the npm package contains: the command, the console, the documentation, and the licenses. `npm pack` runs it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { buildSite } from '../../docs/build-site.ts';
import { buildCommand } from '../build.ts';
import { consoleBundle, listPackages, root } from './bundle.ts';
import { layOutLicenses } from './licenses.ts';

const dist = join(root, 'dist');
const packages = listPackages();
await buildCommand(join(dist, 'command'));
await build(consoleBundle(join(dist, 'console'), packages));
await writeFile(join(dist, 'console.packages.json'), JSON.stringify(packages.folders()));
await buildSite(join(dist, 'docs'));
await layOutLicenses(join(dist, 'licenses'), ['command', 'console', 'docs']);
