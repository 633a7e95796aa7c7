/** `muster setup` in a real terminal: an authenticator is confirmed before anything is written. */
import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { describe, expect, onTestFinished } from 'vitest';
import { codeAt, wrongCode } from '../../broker/testing/test-authenticator.ts';
import { openTerminal, type Terminal } from '../../test/agents/tmux.ts';
import { svcPath } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';

const flags = ['--team', 'Blue', '--directive', '', '--brief', '', '--admin', 'ada', '--admin-title', 'Lead'];
const question = 'press Enter to skip): ';

function start(home: { folder: string; env: Record<string, string> }, columns = 120): Terminal {
  const command = [process.execPath, svcPath, 'setup', ...flags];
  const terminal = openTerminal(command, {
    cwd: home.folder,
    env: { ...home.env, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    columns,
  });
  onTestFinished(() => terminal.close());
  return terminal;
}

/** The screen without the line breaks of a narrow terminal. */
const joined = (terminal: Terminal) => terminal.screen().replaceAll('\n', '');
const shows = (terminal: Terminal, text: string) => expect.poll(() => joined(terminal)).toContain(text);

async function secretOf(terminal: Terminal): Promise<string> {
  await shows(terminal, question.trim());
  return /secret=([A-Z2-7]{32})/.exec(joined(terminal))?.[1] ?? '';
}

function answer(terminal: Terminal, text: string): void {
  terminal.type(text);
  terminal.press('Enter');
}

describe('setup in a terminal', () => {
  it('draws the QR code, writes nothing for a wrong code, and writes the confirmed secret', async ({
    home,
  }) => {
    const terminal = start(home);
    const secret = await secretOf(terminal);
    expect(terminal.screen()).toContain('█▀▀▀▀▀█');
    answer(terminal, wrongCode([secret], Date.now()));
    await shows(terminal, 'This is not the current code.');
    expect(await readdir(home.folder)).not.toContain('svc.json');
    answer(terminal, codeAt(secret, Date.now()));
    await shows(terminal, 'Save the token now');
    await shows(terminal, 'Start the broker');
    const { store } = JSON.parse(await readFile(home.path('svc.json'), 'utf8'));
    expect(store.members).toMatchObject([{ name: 'ada', totpSecret: { v: 1 } }]);

    const broker = await home.serve();
    const reply = await fetch(`${broker.url}/session/totp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: codeAt(secret, Date.now()), member: 'ada' }),
    });
    expect(reply.status).toBe(200);
  });

  it('offers to skip the authenticator after three wrong codes', async ({ home }) => {
    const terminal = start(home);
    const wrong = wrongCode([await secretOf(terminal)], Date.now());
    for (let tries = 1; tries <= 3; tries++) {
      answer(terminal, wrong);
      await expect.poll(() => joined(terminal).split('This is not the current code.').length - 1).toBe(tries);
    }
    await shows(terminal, 'Skip the authenticator? [y/N]');
    expect(await readdir(home.folder)).not.toContain('svc.json');
    answer(terminal, 'y');
    await shows(terminal, 'The authenticator was skipped');
    await shows(terminal, 'Start the broker');
    const { store } = JSON.parse(await readFile(home.path('svc.json'), 'utf8'));
    expect(store.members[0]).not.toHaveProperty('totpSecret');
  });

  it('shows only the address in a narrow terminal, and stops at Ctrl+C with nothing written', async ({
    home,
  }) => {
    const terminal = start(home, 30);
    expect(await secretOf(terminal)).toHaveLength(32);
    expect(terminal.screen()).not.toMatch(/[█▀▄]/);
    terminal.press('C-c');
    await shows(terminal, 'nothing was written');
    expect(await readdir(home.folder)).not.toContain('svc.json');
  });
});
