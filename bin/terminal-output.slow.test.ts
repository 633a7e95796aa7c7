/** The output of the command in a real terminal (specification/command-line.md#output). */
import { execFileSync } from 'node:child_process';
import { access, mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.ts';
import { createHome, type Home, type Running, type TerminalSize } from './testing/command.ts';
import { clientOf, tokens, writeTeam } from './testing/team-file.ts';

const title = `Prüfe 日本語 🚀 ${'and a title that is much longer than a narrow terminal '.repeat(3)}`.trim();
const narrow = { columns: 100, rows: 50 };

let home: Home;
let url: string;
let id: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'), { files: { root: './files' } });
  ({ url } = await home.serve([...stores()]));
  const body = { title, outcome: 'done', assignee: 'ada' };
  ({ id } = await clientOf(url, 'ben').call('createObjective', { body }));
});
afterAll(() => home.remove());

const stores = () => ['--db', home.path('main.db'), '--activity-db', home.path('activity.db')];
const asAda = () => ({ SVC_URL: url, SVC_TOKEN: tokens.ada });

async function linesInTerminal(args: string[], size?: TerminalSize, env: Record<string, string> = {}) {
  const { code, stdout } = await home.startInTerminal(args, { ...asAda(), ...env }, size).ended;
  expect(code).toBe(0);
  return stdout.trimEnd().split('\r\n');
}

describe('a table', () => {
  it('fits the terminal: the title is cut, and the id and the names are whole', async () => {
    const [, row = ''] = await linesInTerminal(['objectives', 'list'], narrow, { NO_COLOR: '1' });
    expect(displayWidth(row)).toBeLessThanOrEqual(narrow.columns);
    expect(displayWidth(row)).toBeGreaterThan(narrow.columns - 3);
    expect(row).toMatch(new RegExp(`^${id}  active  ada +ben   .*Prüfe 日本語 🚀 .*…$`));
  });

  it('keeps a readable part of the title in a terminal that is too narrow', async () => {
    const [, row = ''] = await linesInTerminal(['objectives', 'list'], { columns: 20, rows: 50 });
    expect(row).toContain(id);
    expect(row).toMatch(/Prüfe 日本語 🚀…$/);
  });

  it('is whole if standard output is not a terminal, or does not know its size', async () => {
    const piped = await home.run(['objectives', 'list'], { env: asAda() });
    expect(piped.stdout).toContain(`${title}\n`);
    const [, row = ''] = await linesInTerminal(['objectives', 'list']);
    expect(row).toContain(title);
  });
});

describe('colors', () => {
  const bold = '[1m';
  const args = ['objectives', 'list'];
  const screen = async (words: string[], env: Record<string, string> = {}) =>
    (await linesInTerminal(words, narrow, env)).join('\n').replaceAll('\x1b', '␛');

  it('mark the heads, the status, and the level of a message in a terminal', async () => {
    expect(await screen(args)).toMatch(/^␛\[1mOBJECTIVE␛\[22m .*\n.*␛\[36mactive␛\[39m/);
    expect(await screen(['objectives', 'view', id])).toContain('Status:   ␛[36mactive␛[39m');
    await clientOf(url, 'ben').call('push', { body: { body: 'low \x1b[32mfuel', level: 'critical' } });
    expect(await screen(['recent'])).toMatch(/^␛\[31m.*\(critical\): low \\x1b\[32mfuel␛\[39m$/m);
    expect(await screen(['roster'])).toContain('␛[2moffline');
  });

  it.each([
    ['--no-color after the verb', [...args, '--no-color'], {}],
    ['--no-color before the verb, against FORCE_COLOR', ['--no-color', ...args], { FORCE_COLOR: '1' }],
    ['NO_COLOR', args, { NO_COLOR: '1' }],
    ['TERM=dumb', args, { TERM: 'dumb' }],
    ['--json', [...args, '--json'], { FORCE_COLOR: '1' }],
  ])('are off with %s', async (_, words, env) => {
    const shown = await screen(words, env);
    expect(shown).toContain(id);
    expect(shown).not.toContain('␛');
  });

  it('stay on with an empty NO_COLOR', async () => {
    expect(await screen(args, { NO_COLOR: '' })).toContain(bold);
  });

  it('are off if standard output is not a terminal, unless FORCE_COLOR asks for them', async () => {
    const [plain, forced] = await Promise.all([
      home.run(args, { env: asAda() }),
      home.run(args, { env: { ...asAda(), FORCE_COLOR: '1' } }),
    ]);
    expect(plain.stdout).not.toContain('\x1b');
    expect(forced.stdout).toContain(bold);
  });

  it('leave --no-color after -- as text', async () => {
    const sent = await home.run(['push', '--to', 'ben', '--', '--no-color'], { env: asAda() });
    expect(sent).toMatchObject({ code: 0 });
    expect((await home.run(['recent', '--with', 'ben'], { env: asAda() })).stdout).toMatch(/: --no-color$/m);
  });
});

describe('progress', () => {
  it('of an upload is one line with the rate, which is removed at the end', async () => {
    const pipe = home.path('pipe');
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe]);
    const terminal = home.startInTerminal(['fs', 'put', pipe, '/ada/piped.bin'], asAda(), narrow);
    const writing = await open(pipe, 'w');
    // A broken pipe rejects the write if the command ends early.
    const feeding = setInterval(() => void writing.write('x'.repeat(1024)).catch(() => {}), 50);
    await terminal.shows('B/s').finally(() => clearInterval(feeding));
    await writing.close();
    const { code, stdout } = await terminal.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\r[\d.]+ KiB, [\d.]+ KiB\/s/);
    expect(stdout.replaceAll('\x1b', '␛')).toMatch(/\r␛\[Kstored \/ada\/piped\.bin: [\d.]+ KiB, \S+\r\n$/);
  });

  it('of a transfer and of a backup shows the amount, the total, and the percentage', async () => {
    await writeFile(home.path('large.bin'), Buffer.alloc(3 * 2 ** 20));
    const put = await home.startInTerminal(
      ['fs', 'put', home.path('large.bin'), '/ada/large.bin'],
      asAda(),
      narrow,
    ).ended;
    expect(put.stdout).toMatch(/\r64\.0 KiB of 3\.0 MiB \(2 %\)/);
    const paths = ['--config-path', home.path('svc.json'), ...stores()];
    const backup = home.startInTerminal(['backup', home.path('b.tar'), ...paths], {}, narrow);
    const { code, stdout } = await backup.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\rstores: [\d.]+ (?:B|KiB|MiB) of [\d.]+ [KM]iB \(\d+ %\)/);
    expect(stdout.split('\r\n')[0]?.split('\r').at(-1)).toContain('backed up to');
  });

  it('is not written if standard error is not a terminal', async () => {
    const put = ['fs', 'put', home.path('svc.json'), '/ada/small.json'];
    expect(await home.run(put, { env: asAda() })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a pager', () => {
  const low = { columns: 100, rows: 10 };
  const lastLine = 'for the version.';
  /** Less drops a key that arrives while it draws, so the key is pressed until it works. */
  function quit({ child, ended }: Running) {
    child.stdin.on('error', () => undefined);
    const pressing = setInterval(() => child.stdin.write('q'), 50);
    return ended.finally(() => clearInterval(pressing));
  }
  const marking = { PAGER: "sed 's/^/paged: /'" };

  it('is less for a long help text, and quitting it exits with 0', async () => {
    const terminal = home.startInTerminal(['--help'], {}, low);
    await terminal.shows('\r\n:');
    expect(terminal.stdout()).toContain('Usage: muster <verb>');
    const { code, stdout } = await quit(terminal);
    expect(code).toBe(0);
    expect(stdout).not.toContain(lastLine);
  });

  it('stays with Ctrl+C, and restores the terminal when the person quits it', async () => {
    // Less writes the prompt in a line of its own only if no line is as wide as the terminal.
    const terminal = home.startInTerminal(['help', 'objectives'], {}, { ...low, columns: 200 });
    await terminal.shows('\r\n:');
    terminal.child.stdin.write('\x03');
    const { code, stdout } = await quit(terminal);
    expect(code).toBe(0);
    // Less sends this when it ends by itself: the keys of the keypad are as before.
    expect(stdout).toContain('\x1b[?1l\x1b>');
  });

  it('shows a list that is longer than the terminal, whole and before the remarks', async () => {
    for (let n = 0; n < 12; n++)
      await clientOf(url, 'ben').call('push', { body: { body: `lantern ${n}`, to: 'ada' } });
    await expect
      .poll(async () => (await home.run(['search', 'lantern', '--limit', '11'], { env: asAda() })).stderr)
      .toMatch(/--before/);
    const lines = await linesInTerminal(['search', 'lantern', '--limit', '11'], low, marking);
    expect(lines).toHaveLength(12);
    for (const line of lines.slice(0, 11)) expect(line).toMatch(/^paged: .*lantern \d+$/);
    expect(lines[11]).toMatch(/^for more results/);
  });

  it('shows the files that were found by their names', async () => {
    for (let n = 0; n < 12; n++)
      await clientOf(url, 'ada').call('makeDirectory', { body: { path: `/ada/lantern ${n}` } });
    const lines = await linesInTerminal(['fs', 'find', 'lantern'], low, marking);
    expect(lines.filter((line) => /^paged: .*lantern \d+/.test(line))).toHaveLength(12);
  });

  it.each([
    ['for a short list', ['objectives', 'list'], low],
    ['with --no-pager', ['help', '--no-pager'], low],
    ['with --json', ['recent', '--json'], low],
    ['for another verb', ['team', 'get'], { columns: 20, rows: 1 }],
    ['in a terminal of unknown size', ['help'], undefined],
  ])('is not used %s', async (_, args, size) => {
    const shown = (await linesInTerminal(args, size, marking)).join('\n');
    expect(shown).not.toBe('');
    expect(shown).not.toContain('paged:');
  });

  it('is not used if standard output is not a terminal', async () => {
    expect((await home.run(['--help'], { env: marking })).stdout).not.toContain('paged:');
  });

  it.each([
    ['PAGER names no program', { PAGER: 'no-such-pager' }],
    ['PAGER is cat', { PAGER: 'cat' }],
  ])('gives way to printing everything if %s', async (_, env) => {
    expect((await linesInTerminal(['--help'], low, env)).at(-1)).toContain(lastLine);
  });

  it('gives way to printing everything if there is no less', async () => {
    await mkdir(home.path('programs'));
    for (const name of ['script', 'stty']) {
      const folders = (process.env.PATH ?? '').split(':').map((folder) => `${folder}/${name}`);
      const found = await Promise.any(folders.map((path) => access(path).then(() => path)));
      await symlink(found, home.path(`programs/${name}`));
    }
    const lines = await linesInTerminal(['--help'], low, { PATH: home.path('programs') });
    expect(lines[0]).toMatch(/^Usage: muster/);
    expect(lines.at(-1)).toContain(lastLine);
  });

  it('that ends early ends the command with 0', async () => {
    expect(await linesInTerminal(['--help'], low, { PAGER: 'head -n 1' })).toHaveLength(1);
  });

  it('does not hide that a list failed', async () => {
    const env = { SVC_URL: 'http://127.0.0.1:1', SVC_TOKEN: tokens.ada, ...marking };
    const { code, stdout } = await home.startInTerminal(['roster'], env, low).ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/^muster: nothing answers at /);
  });
});
