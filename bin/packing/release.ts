/**
 * `npm run release`: prepares a release in `dist/release` and publishes nothing. The folder gets the npm package, its
 * checksum, and the notes of this version from the changelog.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import manifest from '../../package.json' with { type: 'json' };
import { root } from './bundle.ts';
import { notesOf } from './release-notes.rules.ts';

const folder = join(root, 'dist', 'release');
const name = `muster-${manifest.version}.tgz`;

function prepare(): string {
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), manifest.version);
  if (notes === null) return `CHANGELOG.md has no section for version ${manifest.version}; write it first`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(npm, ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) return `npm pack failed (${error?.message ?? `exit code ${status}`})`;
  const [packed = ''] = readdirSync(folder);
  renameSync(join(folder, packed), join(folder, name));
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex');
  writeFileSync(join(folder, 'SHA256SUMS'), `${digest}  ${name}\n`);
  writeFileSync(join(folder, 'notes.md'), notes);
  return '';
}

const fault = prepare();
if (fault === '') {
  process.stdout.write(`Prepared ${name}, SHA256SUMS, and notes.md in ${folder}. Nothing was published.\n`);
  process.stdout.write(`To install it: npm install -g ${join('dist', 'release', name)}\n`);
} else {
  console.error(`release: ${fault}`);
  process.exitCode = 1;
}
