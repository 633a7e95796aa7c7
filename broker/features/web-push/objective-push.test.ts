import { expect, it, onTestFinished } from 'vitest';
import { mintVapidKeys } from '../../security/vapid.ts';
import { startTestBroker } from '../../testing/test-broker.ts';
import { startPushReceiver } from './testing/push-receiver.ts';

it('sends a browser push for an objective that was assigned, completed, or blocked and concerns the member, never to the one who acted', async () => {
  const vapid = mintVapidKeys();
  const receiver = await startPushReceiver();
  onTestFinished(() => receiver.close());
  const team = await startTestBroker({
    members: { ada: ['admin'], ora: ['objectives.create'], ben: [], cy: [], dee: [] },
    config: {
      webPush: { vapidPublicKey: vapid.publicKey, vapidPrivateKey: vapid.privateKey },
      outbound: { allowHosts: ['127.0.0.1'] },
    },
  });
  onTestFinished(() => team.stop());
  for (const name of ['ada', 'ora', 'ben', 'cy', 'dee'])
    await team.as(name).call('subscribePush', { body: receiver.subscription(`/${name}`) });
  let seen = 0;
  /**
   * Returns who is notified of a change. A message to each member closes its list, because pushes are ordered
   * per browser only.
   */
  async function pushedBy(change: () => Promise<unknown>): Promise<string[]> {
    await change();
    for (const to of ['ada', 'ora', 'ben', 'cy', 'dee'])
      await team.as(to === 'cy' ? 'ada' : 'cy').call('push', { body: { to, body: 'the end' } });
    const isEnd = ({ text }: { text: string }) => JSON.parse(text).body === 'the end';
    await expect.poll(() => receiver.received.slice(seen).filter(isEnd).length).toBe(5);
    const pushed = receiver.received.slice(seen).filter((push) => !isEnd(push));
    seen = receiver.received.length;
    return pushed.map(({ path }) => path).sort();
  }
  let id = '';
  const send = (by: string, method: string, path: string, body: object) =>
    pushedBy(() =>
      team.fetch(by, `/objectives/${id}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );

  const created = await pushedBy(async () => {
    const body = { title: 'Ship', outcome: 'x', assignee: 'ben', watchers: ['cy'] };
    ({ id } = await team.as('ora').call('createObjective', { body }));
  });
  expect(created).toEqual(['/ben']);
  expect(await send('ben', 'PATCH', '', { status: 'blocked', blockReason: 'x' })).toEqual([
    '/ada',
    '/cy',
    '/ora',
  ]);
  expect(await send('ben', 'PATCH', '', { status: 'active' })).toEqual([]);
  expect(await send('ora', 'PATCH', '/watchers', { add: ['dee'] })).toEqual([]);
  expect(await send('ada', 'POST', '/reassign', { to: 'dee' })).toEqual(['/dee']);
  expect(await send('ben', 'POST', '/complete', { result: 'x' })).toEqual([]);
  expect(await send('dee', 'POST', '/complete', { result: 'x' })).toEqual(['/cy', '/ora']);
});
