import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt, wrongCode } from '../../broker/testing/test-authenticator.ts';
import { createHome, type Home } from '../testing/command.ts';
import { clientOf, tokens, writeTeam } from '../testing/team-file.ts';

let home: Home;
let url: string;
beforeAll(async () => {
  home = await createHome();
  await writeTeam(home.path('svc.json'), { files: { root: home.path('files') } });
  ({ url } = await home.serve());
});
afterAll(() => home.remove());

const start = (...args: string[]) =>
  home.startInTerminal(args, { SVC_URL: url, SVC_TOKEN: tokens.ben, NO_COLOR: '1' });
/** Each code works once, and only after those before it. */
const logIn = async (secret: string, drift: number): Promise<number> => {
  const body = JSON.stringify({ code: codeAt(secret, Date.now() + drift), member: 'ben' });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/session/totp`, { method: 'POST', headers, body })).status;
};
const question = 'Current code of the authenticator (press Enter to stop): ';

describe.skipIf(process.platform !== 'linux')('members enroll-totp in a terminal', () => {
  it('asks for a code of the new authenticator, and leaves the present one if there is none', async () => {
    const params = { name: 'ben' };
    const { totpSecret: former } = await clientOf(url, 'ben').call('enrollTotp', { params });
    const stopped = start('members', 'enroll-totp', 'ben', '--yes');
    await stopped.shows(question);
    stopped.child.stdin.write('\r');
    expect(await stopped.ended).toMatchObject({ code: 1 });
    expect(stopped.stdout()).toContain('nothing was changed');
    expect(await logIn(former, -30_000)).toBe(200);

    const terminal = start('members', 'enroll-totp', 'ben');
    await terminal.shows('Replace the authenticator of ben?');
    terminal.child.stdin.write('y\r');
    await terminal.shows(question);
    const [, secret = ''] = /secret=([A-Z2-7]{32})/.exec(terminal.stdout()) ?? [];
    terminal.child.stdin.write(`${wrongCode([secret], Date.now())}\r`);
    await terminal.shows('This is not the current code.');
    terminal.child.stdin.write(`${codeAt(secret, Date.now())}\r`);
    await terminal.shows('Current code of the authenticator that is replaced: ');
    terminal.child.stdin.write(`${codeAt(former, Date.now())}\r`);
    expect(await terminal.ended).toMatchObject({ code: 0 });
    expect(terminal.stdout()).toContain('enrolled the authenticator of ben');
    expect(await logIn(former, 30_000)).toBe(401);
  });
});

describe.skipIf(process.platform !== 'linux')('fs rm in a terminal', () => {
  it('asks first, and --yes answers', async () => {
    const env = { SVC_URL: url, SVC_TOKEN: tokens.ben };
    await home.run(['fs', 'put', '-', '/ben/x.txt'], { env, input: 'x' });
    const refused = start('fs', 'rm', '/ben/x.txt');
    await refused.shows('Delete /ben/x.txt permanently?');
    refused.child.stdin.write('n\r');
    expect((await refused.ended).code).toBe(1);
    expect((await home.run(['fs', 'stat', '/ben/x.txt'], { env })).code).toBe(0);
    expect((await start('fs', 'rm', '/ben/x.txt', '--yes').ended).code).toBe(0);
    expect((await home.run(['fs', 'stat', '/ben/x.txt'], { env })).code).toBe(1);
  });
});
