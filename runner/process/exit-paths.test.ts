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
       const signalled = () => new Promise((resolve) => { process.on('SIGTERM', resolve); process.kill(process.pid, 'SIGTERM'); });
       ${script}`,
    ],
    { encoding: 'utf8', timeout: 15_000 },
  );
  return { status, lines: stdout.trim().split('\n') };
}

it('a signal while the agent is being prepared waits, then everything is restored', () => {
  expect(run(`await signalled(); console.log('changed'); paths.prepared(); console.log('never')`)).toEqual({
    status: 143,
    lines: ['changed', 'restored', 'restored'],
  });
});

it('a second signal does not wait', () => {
  expect(run(`await signalled(); await signalled(); console.log('never')`)).toMatchObject({
    status: 143,
    lines: ['restored', 'restored'],
  });
});

it('when the agent has started a signal is handed over', () => {
  expect(
    run(
      `paths.prepared(); paths.started((signal) => { console.log(signal); process.exit(0); }); await signalled()`,
    ),
  ).toEqual({ status: 0, lines: ['SIGTERM', 'restored'] });
});

it('an exception that nobody catches restores, and the process fails', () => {
  expect(run(`paths.prepared(); setTimeout(() => { throw new Error('x') })`)).toEqual({
    status: 1,
    lines: ['restored', 'restored'],
  });
});
