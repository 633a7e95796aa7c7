/** The processes of the demo's agents. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { ownCommand } from '../own-command.ts';
import type { DemoRun } from './demo-programs.ts';
import { agentNames, type DemoTeam } from './demo-team.ts';

const endTimeoutMs = 10_000;

/** Starts the runs. The result ends them and what they started, and resolves when they are gone. */
export async function startDemoRuns(
  folder: string,
  team: DemoTeam,
  { url, modelUrl }: Pick<DemoRun, 'url' | 'modelUrl'>,
): Promise<() => Promise<void>> {
  const { command, script } = ownCommand();
  const children: { child: ChildProcessByStdio<Writable, null, null>; ended: Promise<unknown> }[] = [];
  for (const name of agentNames) {
    const cwd = join(folder, 'work', name);
    await mkdir(cwd, { recursive: true });
    const child = spawn(command, [script, 'demo-run'], { stdio: ['pipe', 'ignore', 'inherit'] });
    // A run that has ended takes no order; its end is what counts.
    child.stdin.on('error', () => undefined);
    const run: DemoRun = {
      url,
      token: team.tokenOf(name),
      modelUrl,
      cwd,
      logsDir: join(folder, 'logs'),
      runsDir: join(folder, 'runs'),
    };
    child.stdin.write(JSON.stringify(run));
    children.push({ child, ended: once(child, 'exit') });
  }
  return async () => {
    for (const { child } of children) child.stdin.end();
    const all = Promise.all(children.map(({ ended }) => ended));
    await Promise.race([all, pause(endTimeoutMs, undefined, { ref: false })]);
    for (const { child } of children) if (child.exitCode === null) child.kill('SIGKILL');
    await all;
  };
}
