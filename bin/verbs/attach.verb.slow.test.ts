import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

async function serve(home: Home) {
  await writeTeam(home.path('svc.json'), { files: { root: 'files' } });
  const { url } = await home.serve();
  const as = (name: keyof typeof tokens, ...args: string[]) =>
    home.run(args, { env: { SVC_URL: url, SVC_TOKEN: tokens[name] } });
  return { url, as };
}
const objectiveIn = (stdout: string): string => /obj_[0-9a-z]+/.exec(stdout)?.[0] ?? '';

describe.concurrent('--attach', () => {
  it('uploads a file of this machine to the home, under a free name', async ({ home }) => {
    const { url, as } = await serve(home);
    await writeFile(home.path('plan.txt'), 'ship on friday');
    for (const path of ['/ada/plan.txt', '/ada/plan-1.txt']) {
      const { code, stderr } = await as('ada', 'push', 'read this', '--to', '@ben', '--attach', 'plan.txt');
      expect({ code, stderr: stderr.trim() }).toEqual({ code: 0, stderr: `uploaded plan.txt to ${path}` });
    }
    const { messages } = await clientOf(url, 'ben').call('history', { query: { with: 'ada' } });
    expect(messages.map(({ attachments }) => attachments)).toEqual([['/ada/plan-1.txt'], ['/ada/plan.txt']]);
    expect((await as('ben', 'fs', 'get', '/ada/plan.txt', '-')).stdout).toBe('ship on friday');
  });

  it('sends nothing if a file cannot be uploaded', async ({ home }) => {
    const { url, as } = await serve(home);
    const { code, stderr } = await as('ada', 'push', 'read this', '--attach', 'missing.txt');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'muster: there is no file "missing.txt".\n' });
    expect((await clientOf(url, 'ben').call('history', { query: {} })).messages).toEqual([]);
  });

  it('attaches to an objective and to a post in its thread, which view and recent show', async ({ home }) => {
    const { as } = await serve(home);
    await writeFile(home.path('plan.txt'), 'x');
    const words = ['Ship', '--outcome', 'it is out', '--assignee', '@ada', '--attach', 'plan.txt'];
    const id = objectiveIn((await as('ben', 'objectives', 'create', ...words)).stdout);
    const post = await as('ben', 'objectives', 'discuss', id, 'how', 'far?', '--attach', 'plan.txt');
    expect(post).toMatchObject({ code: 0, stderr: 'uploaded plan.txt to /ben/plan-1.txt\n' });
    const view = (await as('ada', 'objectives', 'view', id)).stdout;
    expect(view).toContain('Attached: /ben/plan.txt');
    expect(view).toMatch(/ ben: how far\?\n$/);
    expect((await as('ada', 'recent', '--objective', id)).stdout).toContain('how far?');
  });
});

describe.concurrent('a post without text', () => {
  it.for([
    ['push', ' '],
    ['channels', 'post', 'general', ''],
    ['objectives', 'discuss', 'obj_0123456789', '\t'],
  ])('is refused before anything is sent: %j', async (args, { home }) => {
    const { code, stderr } = await home.run([...args, '--url', 'http://127.0.0.1:1', '--token', 'svc_x']);
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: 'muster: the text is empty. Write what you want to say.\n',
    });
  });
});
