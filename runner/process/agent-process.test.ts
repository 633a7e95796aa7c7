import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startProcess } from './agent-process.ts';

it('starts a script with its interpreter, then the arguments of the agent', async () => {
  const runFolder = mkdtempSync(join(tmpdir(), 'muster-process-'));
  onTestFinished(() => rmSync(runFolder, { recursive: true }));
  const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const { child, stop } = await startProcess({
    program: { command: process.execPath, args: ['-e', script, '--'] },
    args: ['a word', '--flag'],
    cwd: runFolder,
    env: {},
    inTerminal: false,
    runFolder,
  });
  expect(JSON.parse(await text(child.stdout!))).toEqual(['a word', '--flag']);
  await stop();
});
