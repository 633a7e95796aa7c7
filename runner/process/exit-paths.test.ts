import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('./exit-paths.ts', import.meta.url));

/** A process that prints what happens in it. */
function run(script: string) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { onExit } from ${JSON.stringify(file)};
       const paths = onExit(() => console.log('restored'));
       // Signal listeners do not keep a process alive.
       setInterval(() => {}, 1000);
       const signalled = () => new Promise((resolve) => { process.once('SIGTERM', resolve); process.kill(process.pid, 'SIGTERM'); });
       ${script}`,
    ],
    { encoding: 'utf8', timeout: 100_000 },
  );
  return { status, lines: stdout.trim().split('\n') };
}

const handOver = `paths.started((signal) => { console.log(signal); process.exit(0); })`;

it('holds a signal while the run is starting, and then passes it on like a later one', () => {
  expect(run(`await signalled(); console.log('changed'); ${handOver}`)).toEqual({
    status: 0,
    lines: ['changed', 'SIGTERM', 'restored'],
  });
  expect(run(`${handOver}; await signalled()`)).toEqual({ status: 0, lines: ['SIGTERM', 'restored'] });
});

it('does not hold a different signal or repeated signals; an echo of the first one is ignored', () => {
  expect(
    run(`await signalled(); process.kill(process.pid, 'SIGHUP'); await new Promise(() => undefined)`),
  ).toEqual({ status: 129, lines: ['restored', 'restored'] });
  expect(run(`for (;;) await signalled()`)).toEqual({ status: 143, lines: ['restored', 'restored'] });
  // An echo comes at once, however long this machine takes between two signals.
  const echoed = `performance.now = () => 0; await signalled(); await signalled();`;
  expect(run(`${echoed} console.log('goes on'); process.exit(0)`)).toEqual({
    status: 0,
    lines: ['goes on', 'restored'],
  });
});

it('restores on an uncaught exception, and the process fails', () => {
  expect(run(`setTimeout(() => { throw new Error('x') })`)).toEqual({
    status: 1,
    lines: ['restored', 'restored'],
  });
});
