/**
 * `node bin/packing/merge-feeds.ts <folder> <file>`: writes one update feed from every `latest-mac.yml` in the folder. Builds
 * without a feed have none, and then it writes nothing.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { dump, load } from 'js-yaml';
import { reasonOf } from '#platform/error-text.ts';
import { feedOf, mergeFeeds } from './update-feed.rules.ts';

function merge(folder: string, file: string): void {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name) === 'latest-mac.yml')
    .sort();
  const [first, ...others] = paths.map((name) =>
    feedOf(load(readFileSync(join(folder, name), 'utf8')), name),
  );
  if (first === undefined) {
    console.log('there is no update feed to merge');
    return;
  }
  const merged = mergeFeeds([first, ...others]);
  writeFileSync(file, dump(merged, { lineWidth: -1 }));
  console.log(`merged ${paths.length} update feeds with ${merged.files.length} files`);
}

const [folder, file] = process.argv.slice(2);
try {
  if (folder === undefined || file === undefined) throw new Error('pass the folder of the feeds and a file.');
  merge(folder, file);
} catch (error) {
  console.error(`merge-feeds: ${reasonOf(error)}`);
  process.exitCode = 1;
}
