/** The output of the command in a real terminal (specification/command-line.md#output). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.ts';
import { createHome, type Home, type TerminalSize } from './testing/command.ts';
import { clientOf, tokens, writeTeam } from './testing/team-file.ts';

const title = `Prüfe 日本語 🚀 ${'and a title that is much longer than a narrow terminal '.repeat(3)}`.trim();
const narrow = { columns: 100, rows: 50 };

let home: Home;
let url: string;
let id: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'));
  ({ url } = await home.serve());
  const body = { title, outcome: 'done', assignee: 'ada' };
  ({ id } = await clientOf(url, 'ben').call('createObjective', { body }));
});
afterAll(() => home.remove());

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
