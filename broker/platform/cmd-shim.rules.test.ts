import { describe, expect, it } from 'vitest';
import { readShim } from './cmd-shim.rules.ts';

const folder = 'C:\\Users\\Ada & Ben\\AppData\\Roaming\\npm';
const codex = `${folder}\\node_modules\\@openai\\codex\\bin\\codex.js`;

/** As `cmd-shim` 8 of npm writes it; `start` is the line before the end. */
const npm = (start: string, ...before: string[]): string =>
  [
    '@ECHO off',
    'GOTO start',
    ':find_dp0',
    'SET dp0=%~dp0',
    'EXIT /b',
    ':start',
    'SETLOCAL',
    'CALL :find_dp0',
    ...before,
    start,
    '',
  ].join('\r\n');
const npmScript = (flags: string): string =>
  npm(
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" ${flags} "%dp0%\\node_modules\\@openai\\codex\\bin\\codex.js" %*`,
    '',
    'IF EXIST "%dp0%\\node.exe" (',
    '  SET "_prog=%dp0%\\node.exe"',
    ') ELSE (',
    '  SET "_prog=node"',
    '  SET PATHEXT=%PATHEXT:;.JS;=;%',
    ')',
    '',
  );
/** As npm 6 and Yarn 1 write it. */
const older = `@IF EXIST "%~dp0\\node.exe" (\r
  "%~dp0\\node.exe"  "%~dp0\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r
) ELSE (\r
  @SETLOCAL\r
  @SET PATHEXT=%PATHEXT:;.JS;=%\r
  node  "%~dp0\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r
)`;
/** As \`@zkochan/cmd-shim\` 9 of pnpm writes it. */
const pnpm = `@SETLOCAL\r
@IF NOT DEFINED NODE_PATH (\r
  @SET "NODE_PATH=C:\\a\\node_modules;C:\\b\\node_modules"\r
) ELSE (\r
  @SET "NODE_PATH=C:\\a\\node_modules;C:\\b\\node_modules;%NODE_PATH%"\r
)\r
@IF EXIST "%~dp0\\node.exe" (\r
  "%~dp0\\node.exe"  "%~dp0\\global\\5\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r
) ELSE (\r
  @SET PATHEXT=%PATHEXT:;.JS;=;%\r
  node  "%~dp0\\global\\5\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r
)\r
`;

describe('a shim', () => {
  it.each([
    { what: 'of npm for a script', text: npmScript(''), target: { program: 'node', args: [codex] } },
    {
      what: 'of npm with options of the interpreter',
      text: npmScript('--no-warnings --stack-size=4000'),
      target: { program: 'node', args: ['--no-warnings', '--stack-size=4000', codex] },
    },
    {
      what: 'of npm for a program',
      text: npm('"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"   %*'),
      target: { program: `${folder}\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe`, args: [] },
    },
    { what: 'of npm 6 and Yarn', text: older, target: { program: 'node', args: [codex] } },
    {
      what: 'of pnpm for a script',
      text: pnpm,
      target: {
        program: 'node',
        args: [`${folder}\\global\\5\\node_modules\\@openai\\codex\\bin\\codex.js`],
      },
    },
    {
      what: 'of pnpm for a program',
      text: '@SETLOCAL\r\n@"%~dp0\\..\\a package\\claude.exe"   %*\r\n',
      target: { program: `${folder}\\..\\a package\\claude.exe`, args: [] },
    },
    {
      what: 'of Yarn for another shim',
      text: '@"%~dp0\\..\\..\\Yarn\\Data\\global\\node_modules\\.bin\\codex.cmd"   %*\r\n',
      target: { program: `${folder}\\..\\..\\Yarn\\Data\\global\\node_modules\\.bin\\codex.cmd`, args: [] },
    },
    {
      what: 'for a program on another drive',
      text: npm('"%dp0%\\D:\\tools\\agent.exe"   %*'),
      target: { program: 'D:\\tools\\agent.exe', args: [] },
    },
    {
      what: 'with line ends of POSIX',
      text: npmScript('').replaceAll('\r\n', '\n'),
      target: { program: 'node', args: [codex] },
    },
  ])('$what is read', ({ text, target }) => {
    expect(readShim(text, folder)).toEqual(target);
    expect(readShim(text, `${folder}\\`)).toEqual(target);
  });

  it.each([
    ['is empty', ''],
    ['starts nothing', '@ECHO off\r\n'],
    ['sets the environment', '@SET FOO=1\r\n@"%~dp0\\claude.exe" %*\r\n'],
    ['starts two programs', '@"%~dp0\\first.exe"\r\n@"%~dp0\\claude.exe" %*\r\n'],
    ['starts a program behind another', '@"%~dp0\\a.exe" & "%~dp0\\b.exe" %*\r\n'],
    ['uses another variable', '@"%LOCALAPPDATA%\\agent\\agent.exe" %*\r\n'],
    ['uses an unset interpreter', '@"%_prog%" "%~dp0\\a.js" %*\r\n'],
    ['writes to a file', '@"%~dp0\\a.exe" > log.txt %*\r\n'],
    ['leaves the arguments out', '@"%~dp0\\a.exe"\r\n'],
  ])('that %s is not understood', (_, text) => {
    expect(readShim(text, folder)).toBeNull();
  });
});
