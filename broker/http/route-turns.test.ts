import { expect, it } from 'vitest';
import { JsonReply } from './json-reply.ts';
import { startTestApp } from './testing/test-app.ts';

/** An application whose reads the test ends, in the order in which they began. */
async function startApp() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const { app, revoked } = await startTestApp({
    roster: async ({ actor }) => {
      begun.push(actor.name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return new JsonReply('{}');
    },
    push: async ({ actor }) => {
      begun.push(`${actor.name} posts`);
      return new JsonReply('{}');
    },
  });
  const ask = (name: string) =>
    app
      .inject({ url: '/roster', headers: { host: 'here', authorization: `Bearer ${name}` } })
      .then(({ statusCode }) => statusCode);
  const post = (name: string) =>
    app
      .inject({
        method: 'POST',
        url: '/push',
        headers: { host: 'here', authorization: `Bearer ${name}` },
        payload: { body: 'hello' },
      })
      .then(({ statusCode }) => statusCode);
  return { begun, ends, revoked, ask, post };
}

it('requests of one member wait for their turn while another member is answered', async () => {
  const { begun, ends, ask } = await startApp();
  const replies = [ask('ada'), ask('ada'), ask('ada'), ask('ada')];
  await expect.poll(() => begun).toEqual(['ada', 'ada']);
  replies.push(ask('ben'));
  await expect.poll(() => begun).toEqual(['ada', 'ada', 'ben']);
  for (let at = 0; at < replies.length; at++) {
    await expect.poll(() => ends.length).toBeGreaterThan(at);
    ends[at]?.();
  }
  expect(await Promise.all(replies)).toEqual([200, 200, 200, 200, 200]);
  expect(begun).toEqual(['ada', 'ada', 'ben', 'ada', 'ada']);
});

it('reads that take long do not delay a change of the same member', async () => {
  const { begun, ends, ask, post } = await startApp();
  const replies = [ask('ada'), ask('ada'), ask('ada')];
  await expect.poll(() => begun).toEqual(['ada', 'ada']);
  expect(await post('ada')).toBe(200);
  expect(begun).toEqual(['ada', 'ada', 'ada posts']);
  for (let at = 0; at < replies.length; at++) {
    await expect.poll(() => ends.length).toBeGreaterThan(at);
    ends[at]?.();
  }
  await Promise.all(replies);
});

it('a request that waited is refused if its token was revoked in the meantime', async () => {
  const { begun, ends, revoked, ask } = await startApp();
  const replies = [ask('ada'), ask('ada'), ask('ada')];
  await expect.poll(() => begun).toEqual(['ada', 'ada']);
  revoked.add('ada');
  for (const end of ends) end();
  expect(await Promise.all(replies)).toEqual([200, 200, 401]);
  expect(begun).toHaveLength(2);
});
