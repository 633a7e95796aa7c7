import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram, type ProgramFiles, readVersion } from './find-program.ts';

const npm = 'C:\\Users\\Ada\\AppData\\Roaming\\npm';
const nodejs = 'C:\\Program Files\\nodejs';
const env = { Path: `relative;${npm};${nodejs}` };

/** A shim as npm 6 and Yarn write it. */
const scriptShim = (script: string): string =>
  `@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\${script}" %*\r\n) ELSE (\r\n  @SETLOCAL\r\n  @SET PATHEXT=%PATHEXT:;.JS;=%\r\n  node  "%~dp0\\${script}" %*\r\n)`;
const programShim = (program: string): string => `@SETLOCAL\r\n@"%~dp0\\${program}"   %*\r\n`;

/** Windows with these files; names of files have no case there. */
function windowsWith(texts: Readonly<Record<string, string>>): ProgramFiles {
  const byPath = new Map(Object.entries(texts).map(([path, text]) => [path.toLowerCase(), text]));
  return {
    platform: 'win32',
    isProgram: async (path) => byPath.has(path.toLowerCase()),
    readText: async (path) => byPath.get(path.toLowerCase()) ?? '',
  };
}

describe('on Windows, a program', () => {
  it.each([
    {
      what: 'is an .exe before a shim beside it',
      files: { [`${npm}\\claude.exe`]: '', [`${npm}\\claude.cmd`]: programShim('other.exe') },
      found: { command: `${npm}\\claude.exe`, args: [] },
    },
    {
      what: 'is the program that a shim starts',
      files: {
        [`${npm}\\claude.cmd`]: programShim('node_modules\\a\\claude.exe'),
        [`${npm}\\node_modules\\a\\claude.exe`]: '',
      },
      found: { command: `${npm}\\node_modules\\a\\claude.exe`, args: [] },
    },
    {
      what: 'is the script of a shim, which Node on the PATH runs',
      files: {
        [`${npm}\\claude.cmd`]: scriptShim('node_modules\\a\\cli.js'),
        [`${npm}\\node_modules\\a\\cli.js`]: '',
        [`${nodejs}\\node.exe`]: '',
      },
      found: { command: `${nodejs}\\node.exe`, args: [`${npm}\\node_modules\\a\\cli.js`] },
    },
    {
      what: 'is run by the Node beside its shim first',
      files: {
        [`${npm}\\claude.bat`]: scriptShim('..\\a\\cli.js'),
        'C:\\Users\\Ada\\AppData\\Roaming\\a\\cli.js': '',
        [`${npm}\\node.exe`]: '',
        [`${nodejs}\\node.exe`]: '',
      },
      found: { command: `${npm}\\node.exe`, args: ['C:\\Users\\Ada\\AppData\\Roaming\\a\\cli.js'] },
    },
    {
      what: 'is the one at the end of shims that start shims',
      files: {
        [`${npm}\\claude.cmd`]: programShim('..\\.bin\\claude.cmd'),
        'C:\\Users\\Ada\\AppData\\Roaming\\.bin\\claude.cmd': programShim('claude.exe'),
        'C:\\Users\\Ada\\AppData\\Roaming\\.bin\\claude.exe': '',
      },
      found: { command: 'C:\\Users\\Ada\\AppData\\Roaming\\.bin\\claude.exe', args: [] },
    },
    {
      what: 'is not the script for POSIX that npm puts beside the shim',
      files: { [`${npm}\\claude`]: '#!/bin/sh' },
      found: null,
    },
  ])('$what', async ({ files, found }) => {
    expect(await findProgram('claude', env, windowsWith(files))).toEqual(found);
  });

  it('can be named by its path, with or without the end of its name', async () => {
    const files = windowsWith({
      'C:\\a b\\agent.cmd': programShim('agent-1.exe'),
      'C:\\a b\\agent-1.exe': '',
    });
    const found = { command: 'C:\\a b\\agent-1.exe', args: [] };
    for (const name of ['C:\\a b\\agent', 'C:\\a b\\agent.cmd', 'C:\\a b\\AGENT.CMD', 'C:\\a b\\agent-1.exe'])
      expect(await findProgram(name, {}, files)).toEqual(found);
  });

  it.each([
    {
      what: 'that sets more than a path',
      files: { [`${npm}\\claude.cmd`]: '@SET A=1\r\n@"%~dp0\\claude-1.exe" %*' },
      sentence: `"${npm}\\claude.cmd" is a batch file that Muster cannot read. Install the agent again with npm, or name its .exe file.`,
    },
    {
      what: 'that starts itself',
      files: { [`${npm}\\claude.cmd`]: programShim('claude.cmd') },
      sentence: 'is a batch file that Muster cannot read.',
    },
    {
      what: 'whose program is missing',
      files: { [`${npm}\\claude.cmd`]: programShim('gone.exe') },
      sentence: `"${npm}\\claude.cmd" starts "${npm}\\gone.exe", which is missing. Install the agent again.`,
    },
    {
      what: 'whose script is missing',
      files: { [`${npm}\\claude.cmd`]: scriptShim('gone.js'), [`${nodejs}\\node.exe`]: '' },
      sentence: `starts "${npm}\\gone.js", which is missing.`,
    },
    {
      what: 'whose interpreter is missing',
      files: { [`${npm}\\claude.cmd`]: scriptShim('cli.js'), [`${npm}\\cli.js`]: '' },
      sentence: `"${npm}\\claude.cmd" needs the program "node.exe", which is not on the PATH. Install it, and start again.`,
    },
  ])('that is a shim $what is refused by name', async ({ files, sentence }) => {
    await expect(findProgram('claude', env, windowsWith(files))).rejects.toThrow(sentence);
  });
});

describe.skipIf(process.platform === 'win32')('on this system, a program', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-program-'));
    writeFileSync(join(folder, 'agent'), '#!/bin/sh\necho "agent $@"\n');
    chmodSync(join(folder, 'agent'), 0o755);
    writeFileSync(join(folder, 'text'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is the file on the PATH that can be run, and says its version', async () => {
    const program = await findProgram('agent', { PATH: `.:${folder}` });
    expect(program).toEqual({ command: join(folder, 'agent'), args: [] });
    expect(await readVersion(program!, { PATH: folder }, folder)).toBe('agent --version');
    expect(await readVersion({ ...program!, args: ['a script'] }, {}, folder)).toBe(
      'agent a script --version',
    );
    expect(await findProgram(join(folder, 'agent'), {})).toEqual(program);
    expect(await findProgram('text', { PATH: folder })).toBeNull();
  });
});
