/** `npm run bench`: the comparison with bare baselines, or with `--scale` the reads in a large store. */
import { UsageError } from '../../bin/usage-error.ts';
import { type BenchOptions, readBenchOptions } from './bench-options.ts';
import { full, sizeText, smallestShare, usual } from './store-sizes.ts';

const help = `npm run bench              compares Muster with bare baselines and writes the figures to docs/benchmarks.md; takes about half an hour
npm run bench -- --quick   one short round, which writes nothing

npm run bench -- --against <commit>
                           compares this checkout with that version of it: both take turns under one load program, and the ratio of each figure is printed with its range;
                           takes about a quarter of an hour, or with --quick four minutes

npm run bench -- --scale   times every read that depends on the size of a store, in a store of a million messages and in a tenth of it, and writes the table to docs/benchmarks.md
  --size <share>           this share of both, from ${smallestShare(usual)} to 1; a store has a few of everything, so that the tenth of a small one may be more than a tenth
  --full                   ${sizeText(full)}; --size may then be as small as ${smallestShare(full)}
  --keep <folder>          keeps the stores there and uses them again
  --only <text>            only what has this text in its name, for example "search"`;

async function run(options: BenchOptions): Promise<void> {
  switch (options.kind) {
    case 'help':
      console.log(help);
      return;
    case 'compare':
      console.error(
        options.isQuick
          ? 'Comparing Muster with bare baselines in one short round, which writes nothing.'
          : 'Comparing Muster with bare baselines. This takes about half an hour and writes docs/benchmarks.md; --quick takes one short round, and --help shows everything else.',
      );
      await import('./compare.ts');
      return;
    case 'against':
      await (await import('./against.ts')).runAgainst(options);
      return;
    case 'scale':
      await (await import('./scale.ts')).runScale(options);
  }
}

try {
  await run(readBenchOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`bench: ${error.message}`);
  process.exitCode = 64;
}
