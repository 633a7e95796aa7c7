/**
 * `npm run test:repeat -- <file> --times 30 --busy 2`: runs a test file many times, each time in a new process and beside busy threads, and
 * counts. It finds what fails by chance.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { requireAgents } from './agents/install.ts';
import { runCommand } from './testing/run-command.ts';
import { build } from './testing/static-checks.ts';

const usage = `usage: npm run test:repeat -- <file> [--times 30] [--busy 2] [--name <part of a test's name>]`;

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        times: { type: 'string', default: '30' },
        busy: { type: 'string', default: '2' },
        name: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const times = Number(values.times);
    const busy = Number(values.busy);
    if (values.help || positionals.length !== 1) return null;
    if (!Number.isInteger(times) || times < 1 || !Number.isInteger(busy) || busy < 0) return null;
    return { file: positionals[0] ?? '', times, busy, name: values.name };
  } catch {
    return null;
  }
}

const wanted = options();
if (wanted === null) {
  console.log(usage);
  process.exit(process.argv.includes('--help') ? 0 : 2);
}
const { file, times, busy, name } = wanted;
if (!(await build())) process.exit(1);
if (file.includes('.agents.') && !(await requireAgents())) process.exit(1);

// Threads end with this process, however it ends.
const loops = Array.from({ length: busy }, () => new Worker('for (;;);', { eval: true }));
const failures: string[] = [];
try {
  for (let time = 1; time <= times; time++) {
    const args = ['run', '--no-color', ...(name === undefined ? [] : ['-t', name]), file];
    const { code, output, seconds } = await runCommand('vitest', args, { isQuiet: true });
    console.log(
      `${String(time).padStart(4)}/${times} ${code === 0 ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s`,
    );
    if (code === 0) continue;
    failures.push(output);
    console.log(output);
  }
} finally {
  await Promise.all(loops.map((loop) => loop.terminate()));
}
console.log(
  `\n${times - failures.length} passed, ${failures.length} failed, of ${times} runs beside ${busy} busy threads`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
