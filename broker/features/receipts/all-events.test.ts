/** Streams that asked for all events: receipts, presence, and changes beside the messages. */
import { describe, expect, it } from 'vitest';
import type { TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';
import { setUpReceiptTeam } from './testing/receipt-team.ts';

let team: TestBroker;
const { nextMember, startOwn, say, report, read } = setUpReceiptTeam((current) => {
  team = current;
});

describe('GET /subscribe?events=all', () => {
  const all = (name: string) =>
    openTestStream(`${team.url}/subscribe?name=${name}&events=all`, team.token(name));
  const of = (stream: Awaited<ReturnType<typeof all>>, event: string) =>
    stream.frames.filter((frame) => frame.event === event).map(({ data }) => JSON.parse(data));

  it('sends receipts to the sender', async () => {
    const [sender, member] = [nextMember(), nextMember()];
    const stream = await all(sender);
    const id = await say(sender, { to: member });
    await read(member, `dm:${sender}`, id);
    await report(member, id, { state: 'accepted', at: 5 });
    await stream.until(() => of(stream, 'receipt').length === 2);
    expect(of(stream, 'receipt')).toEqual([
      { messageId: id, member, state: 'read', at: expect.any(Number) },
      { messageId: id, member, state: 'accepted', at: 5 },
    ]);
    expect(
      stream.frames.filter(({ event }) => event === 'receipt').every((frame) => frame.id === undefined),
    ).toBe(true);
    stream.close();
  });

  it('tells the reader’s own streams what was read on one of them, and nobody else’s', async () => {
    const [member, other] = [nextMember(), nextMember()];
    const [reader, stranger] = [await all(member), await all(other)];
    const id = await say('ada', { to: member });
    await read(member, 'dm:ada', id);
    const own = await say(member, {});
    await read(member, 'general', own);
    // Nothing changes, so nothing is announced.
    await read(member, 'dm:ada', id);
    const last = await say('ada', { to: member });
    await read(member, 'dm:ada', last);
    await reader.until(() => of(reader, 'receipt').length === 3);
    expect(of(reader, 'receipt')).toEqual(
      [id, own, last].map((messageId) => ({
        messageId,
        member,
        state: 'read',
        at: expect.any(Number),
      })),
    );
    await say('ada', { body: 'look' });
    await stranger.until(() => stranger.messages().length === 2);
    expect(of(stranger, 'receipt')).toEqual([]);
    reader.close();
    stranger.close();
  });

  it('sends presence', async () => {
    const member = nextMember();
    const stream = await all('ada');
    const other = await team.stream(member);
    await team.as(member).call('reportBusy', { body: { busy: true } });
    other.close();
    await stream.until(() =>
      of(stream, 'presence').some(({ name, connected, busy }) => name === member && connected === 0 && busy),
    );
    stream.close();
  });

  it('announces changes to whoever may read the resource', async () => {
    await startOwn();
    const [manager, member] = [await all('ada'), await all('ben')];
    const { userCode } = await team.as('ben').call('enroll', { body: {} });
    const channel = await team.as('cy').call('createChannel', { body: { slug: 'ops' } });
    await team.as('ada').call('updateTeam', { body: { brief: 'new' } });
    await team.as('ada').call('updateMember', { params: { name: 'cy' }, body: { instructions: 'x' } });
    const seen = (stream: typeof manager) => of(stream, 'change');
    await member.until(() => seen(member).some(({ resource }) => resource === 'member'));
    expect(seen(member)).toEqual([
      { resource: 'channel', id: channel.id },
      { resource: 'team', id: 'Test' },
      { resource: 'member', id: 'cy' },
    ]);
    await manager.until(() => seen(manager).length === 4);
    expect(seen(manager)[0]).toEqual({ resource: 'enrollment', id: userCode });
    manager.close();
    member.close();
  });

  it('adds nothing to a stream that did not ask for it', async () => {
    const member = nextMember();
    const [plain, full] = [await team.stream(member), await all(member)];
    await team.as('cy').call('createChannel', { body: { slug: 'quiet' } });
    await full.until(() => of(full, 'change').length === 1);
    await say('ada', {});
    await plain.until(() => plain.messages().length === 1);
    expect(plain.frames.map(({ event }) => event)).toEqual(['ready', 'message']);
    full.close();
  });
});
