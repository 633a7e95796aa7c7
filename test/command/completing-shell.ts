/** A shell in a terminal, with the completion of `muster`, for tests that press Tab. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type Home, type Running, svcPath } from '../../bin/testing/command.ts';
import { clientOf, tokens, writeTeam } from '../../bin/testing/team-file.ts';
import { type Program, programPath } from '../testing/programs.ts';

interface Shell {
  program: Program & ('bash' | 'fish' | 'zsh');
  args: string[];
  /** The line that installs the completion. */
  install: string;
}

/** Prints its words between brackets instead of doing anything, except for the completion. */
const stand = `#!/bin/sh
printf '%s\\n' "$*" >> asked
if [ "$1" != completion ]; then printf 'ran:'; printf ' [%s]' "$@"; printf '\\n'; exit; fi
exec '${process.execPath}' '${svcPath}' "$@"
`;

const dangerous = '$(touch evaluated) `touch evaluated`; touch evaluated %F{red}';

export function completesIn({ program, args, install }: Shell): void {
  let home: Home;
  let shell: Running;
  let id: string;

  beforeAll(async () => {
    home = await createHome();
    await writeTeam(home.path('svc.json'));
    const { url } = await home.serve();
    const client = clientOf(url, 'ben');
    await client.call('createChannel', { body: { slug: 'release' } });
    const objective = { title: dangerous, outcome: dangerous, assignee: 'ben' };
    ({ id } = await client.call('createObjective', { body: objective }));
    await mkdir(home.path('programs'));
    await writeFile(home.path('programs/muster'), stand);
    await chmod(home.path('programs/muster'), 0o755);
    const path = [home.path('programs'), dirname(process.execPath), home.env.PATH].join(':');
    const env = { PATH: path, SVC_URL: url, SVC_TOKEN: tokens.ada };
    shell = home.startOtherInTerminal(programPath(program), args, env);
    await enter(`${install}\n`);
  });
  afterAll(() => home.remove());

  let entered = 0;
  /** Types a whole line, and waits until the shell has carried it out and reads again. */
  async function enter(line: string): Promise<void> {
    entered++;
    shell.child.stdin.write(`${line}echo carried""out${entered}\n`);
    await shell.shows(`carriedout${entered}`);
  }

  it.each([
    ['a verb', 'muster objec\t', '[objectives]'],
    ['an action', 'muster members rot\t', '[members] [rotate]'],
    ['an option', 'muster recent --oldest\t', '[recent] [--oldest-first]'],
    ['an option of an action', 'muster members rotate --ye\t', '[members] [rotate] [--yes]'],
    ['a member', 'muster members rotate be\t', '[members] [rotate] [ben]'],
    ['a member after an option', 'muster push x --to be\t', '[push] [x] [--to] [ben]'],
    ['a member in an option', 'muster push x --to=be\t', '[push] [x] [--to=ben]'],
    ['a member with an @', 'muster push x --to @be\t', '[push] [x] [--to] [@ben]'],
    ['a channel', 'muster channels view rel\t', '[channels] [view] [release]'],
    ['a topic of help', 'muster help channels ren\t', '[help] [channels] [rename]'],
  ])('completes %s', async (_, typed, ran) => {
    await enter(`${typed}\n`);
    expect(shell.stdout()).toContain(`ran: ${ran}`);
  });

  it('completes an objective, whose title it never evaluates', async () => {
    await enter('muster objectives view obj\t\n');
    expect(shell.stdout()).toContain(`ran: [objectives] [view] [${id}]`);
    expect(existsSync(home.path('evaluated'))).toBe(false);
  });

  it('evaluates nothing that stands in the line', async () => {
    shell.child.stdin.write('muster push "$(touch evaluated)" `touch evaluated` --to be\t');
    await expect.poll(() => readFile(home.path('asked'), 'utf8')).toMatch(/touch evaluated.* --to be\n$/);
    // Ctrl+U deletes the line, which is never entered. Fish may skip a Tab that comes together with it.
    await enter('\u0015');
    expect(existsSync(home.path('evaluated'))).toBe(false);
  });

  it('completes a file where a path is expected', async () => {
    await writeFile(home.path('report-of-today.md'), '');
    await enter('muster fs put report\t\n');
    expect(shell.stdout()).toContain('ran: [fs] [put] [report-of-today.md]');
  });

  it('stays silent if no broker answers', async () => {
    const from = shell.stdout().length;
    await enter('muster push x --url http://127.0.0.1:1 --to zq\t\n');
    expect(shell.stdout().slice(from)).toContain('ran: [push] [x] [--url] [http://127.0.0.1:1] [--to] [zq]');
    expect(shell.stdout().slice(from)).not.toContain('nothing answers');
  });
}
