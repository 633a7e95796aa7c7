import { mkdir, rm } from 'node:fs/promises';
import { expect } from 'vitest';
import { it } from '../../bin/testing/home-test.ts';
import { clientOf, tokens, writeTeam } from '../../bin/testing/team-file.ts';
import { openTestStream } from '../../broker/testing/test-stream.ts';

const senders = 4;

it('a backup under load has everything that was acknowledged before it, and clients recover from its restore', async ({
  home,
}) => {
  const env = {
    SVC_CONFIG_PATH: home.path('team/svc.json'),
    SVC_DB_PATH: home.path('team/main.db'),
    SVC_ACTIVITY_DB_PATH: home.path('team/activity.db'),
  };
  await mkdir(home.path('team'));
  await writeTeam(home.path('team/svc.json'), { files: { root: 'files' } });
  const broker = await home.serve([], env);
  const acknowledged: string[] = [];
  const written: string[] = [];
  const enough = Promise.withResolvers<void>();
  const write = (name: string) =>
    fetch(`${broker.url}/fs/write?path=/ben/${name}&mime=text/plain`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.ben}` },
      body: name,
    });
  const stream = await openTestStream(`${broker.url}/subscribe?name=cy`, tokens.cy);
  const load = Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      const client = clientOf(broker.url, 'ben');
      for (let n = 0; ; n++) {
        const body = `${sender}-${n}`;
        const sent = await client.call('push', { body: { body } }).catch(() => null);
        const stored = n % 5 === 0 ? await write(`${body}.txt`).catch(() => null) : null;
        // One in ten is deleted again, so that contents come and go during the backup.
        if (stored?.ok && n % 10 === 0)
          await client.call('removeFile', { query: { path: `/ben/${body}.txt` } }).catch(() => null);
        else if (stored?.ok) written.push(`${body}.txt`);
        if (sent === null) return;
        acknowledged.push(body);
        if (acknowledged.length > 200) enough.resolve();
      }
    }),
  );
  await enough.promise;
  const before = [...acknowledged];
  const files = [...written];
  const made = await home.run(['backup', home.path('drill.tar'), '--json'], { env });
  expect(JSON.parse(made.stdout)).toMatchObject({ damaged: [] });
  const cursor = stream.cursor();
  broker.child.kill('SIGKILL');
  await Promise.all([load, broker.ended]);
  await rm(home.path('team'), { recursive: true });

  const restored = await home.run(['restore', home.path('drill.tar')], { env });
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('revoke again') });
  const again = await home.serve(['--port', broker.port], env);
  const client = clientOf(again.url, 'cy');
  const found = new Set<string>();
  for (let page = await client.call('history', { query: { limit: '200' } }); ; ) {
    for (const { body } of page.messages) found.add(body);
    const oldest = page.messages.at(-1);
    if (oldest === undefined) break;
    const query = { limit: '200', before: String(oldest.ts), beforeId: oldest.id };
    page = await client.call('history', { query });
  }
  expect(before.filter((body) => !found.has(body))).toEqual([]);
  for (const name of files) {
    const reply = await fetch(`${again.url}/fs/read/ben/${name}`, {
      headers: { authorization: `Bearer ${tokens.ben}` },
    });
    expect(await reply.text()).toBe(name);
  }
  const resumed = await openTestStream(`${again.url}/subscribe?name=cy`, tokens.cy, cursor);
  await resumed.until((frames) => frames.some(({ event }) => event === 'reset'));
  await clientOf(again.url, 'ben').call('push', { body: { body: 'after the restore' } });
  await resumed.until((frames) => frames.some(({ data }) => data.includes('after the restore')));
  stream.close();
  resumed.close();
});
