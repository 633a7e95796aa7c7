/** `npm run bench`: the comparison with bare baselines, or with `--scale` the reads in a large store. */
import { parseArgs } from 'node:util';

const help = `npm run bench              compares Muster with bare baselines and writes the figures to docs/benchmarks.md
npm run bench -- --quick   one short round, which writes nothing

npm run bench -- --scale   times every read in a store of a million messages and in a tenth of it, and writes the table to docs/benchmarks.md
  --size <share>           this share of both, for example 0.1
  --full                   ten million messages, 5,000 members, 2,000 channels, 100,000 objectives, 200,000 files, 1,000,000 rows of activity
  --keep <folder>          keeps the stores there and uses them again
  --only <text>            only what has this text in its name, for example "search"`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    size: { type: 'string', default: '1' },
    full: { type: 'boolean', default: false },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else if (values.scale) {
  const share = Number(values.size);
  if (!(share > 0)) throw new Error('--size must be a number above 0');
  const { runScale } = await import('./scale.ts');
  await runScale({ share, isFull: values.full, keep: values.keep ?? null, only: values.only });
} else await import('./compare.ts');
