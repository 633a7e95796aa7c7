import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { it as inHome } from '../testing/home-test.ts';
import { verbTable } from '../verb-table.ts';
import { candidatesFor, type LiveNames } from './candidates.ts';

const named =
  (...values: string[]) =>
  async () =>
    values.map((value) => ({ value }));
const live: LiveNames = {
  members: named('ada', 'ben', '$(touch x)', 'b;id', "b'en", 'be n', '`b`', 'b\nen', 'b\u001b[2J'),
  channels: named('general', 'release'),
  objectives: named('obj_0123456789'),
};
const valuesAfter = async (...words: string[]) =>
  (await candidatesFor(words, live)).map(({ value }) => value);

describe('the candidates', () => {
  it('begin with the verbs', async () => {
    expect(await valuesAfter('')).toEqual([...verbTable.map(({ name }) => name), 'help']);
  });

  it.each([
    [['rec'], ['recent']],
    [
      ['members', 'r'],
      ['revoke', 'rotate'],
    ],
    [
      ['members', '--json', 'r'],
      ['revoke', 'rotate'],
    ],
    [
      ['members', '--url', 'list', 'r'],
      ['revoke', 'rotate'],
    ],
    [
      ['members', 'list', '--'],
      ['--limit', '--url', '--token', '--insecure-http', '--json', '--help'],
    ],
    [['help', 'members', 'ro'], ['rotate']],
    [['help', 'members', 'rotate', ''], []],
    [
      ['push', 'x', '--to', ''],
      ['ada', 'ben'],
    ],
    [['push', 'x', '--to=b'], ['--to=ben']],
    [
      ['push', 'x', '--to', '@'],
      ['@ada', '@ben'],
    ],
    [['push', 'x', '--stdin', ''], []],
    [['push', '--', '--t'], []],
    [
      ['members', 'rotate', ''],
      ['ada', 'ben'],
    ],
    [['members', 'create', ''], []],
    [
      ['channels', 'add', ''],
      ['general', 'release'],
    ],
    [['channels', 'add', 'release', 'b'], ['ben']],
    [['channels', 'create', ''], []],
    [['objectives', 'reassign', 'obj'], ['obj_0123456789']],
    [['objectives', 'create', 't', '--watchers', 'ada,b'], ['ada,ben']],
    [['objectives', 'watchers', 'x', '--add', 'ada,@b'], ['ada,@ben']],
    [['recent', '--objective', ''], ['obj_0123456789']],
    [
      ['run', 'co'],
      ['codex', 'command'],
    ],
    [
      ['run', '--tools', ''],
      ['all', 'specified'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    [['fs', 'put', ''], []],
    [['nothing', ''], []],
    [['members', 'nothing', ''], []],
  ])('after %j are %j', async (words, candidates) => {
    expect(await valuesAfter(...words)).toEqual(candidates);
  });
});

describe('muster completion', () => {
  inHome.for([
    [['completion'], 'name one shell: bash, zsh, fish, powershell'],
    [['completion', 'bsh'], 'there is no completion for "bsh". Did you mean "bash"?'],
    [['completion', 'csh-of-old'], 'there is no completion for "csh-of-old". Name one shell: bash'],
    [['completion', 'bash', 'zsh'], 'name one shell'],
  ] as const)('%j is a usage error that says what to do', async ([args, sentence], { home }) => {
    const { code, stdout, stderr } = await home.run([...args]);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(`muster: ${sentence}`);
  });

  inHome('says how to install it for each shell', async ({ home }) => {
    const { stdout } = await home.run(['help', 'completion']);
    for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
      expect(stdout).toContain(`completion ${shell}`);
  });

  inHome('gives up on a broker that does not answer, and prints nothing', async ({ home }) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const asked = once(silent, 'connection');
    const env = { SVC_URL: `http://127.0.0.1:${port}`, SVC_TOKEN: 'svc_secret' };
    const ended = home.run(['completion', 'words', 'push', '--to', ''], { env });
    await asked;
    const askedAt = performance.now();
    expect(await ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    // Each request fails after 30 s.
    expect(performance.now() - askedAt).toBeLessThan(20_000);
    silent.close();
  });

  inHome('prints nothing without a token', async ({ home }) => {
    const ended = await home.run(['completion', 'words', 'push', '--to', '']);
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});
