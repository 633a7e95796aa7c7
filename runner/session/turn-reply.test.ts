import { describe, expect, it } from 'vitest';
import { Message } from '#protocol/message.ts';
import { newestPerPlace, replyText, replyTo } from './turn-reply.rules.ts';
import { createTurnReplies } from './turn-reply.ts';

const message = (n: number, over: object = {}): Message =>
  Message.parse({
    ...{ id: `019a1b2c-3d4e-7f00-8a1b-${n.toString().padStart(12, '0')}`, ts: n, from: 'ada', to: 'ben' },
    ...{ title: null, body: `question ${n}`, level: 'info', data: {}, attachments: [], ...over },
  });
const toAda = { kind: 'member', name: 'ada' };

describe('the final text of a turn answers', () => {
  it.each([
    ['a direct message', {}, toAda],
    ['a mention in a broadcast', { to: null, body: '@ben, when?' }, toAda],
    ['a mention in a channel', { to: null, body: '@ben?', data: { thread: 'chan:ch_1' } }, toAda],
    [
      'a post in the thread of an objective',
      { to: null, data: { thread: 'obj:obj_0123456789' } },
      { kind: 'objective', objectiveId: 'obj_0123456789' },
    ],
  ])('%s', (_, over, place) => {
    expect(replyTo(message(1, over), 'ben')).toEqual({ place, inReplyTo: message(1).id });
  });

  it.each([
    ['a broadcast', { to: null }],
    ['a mention of another member', { to: null, body: '@cy?' }],
    ['a notice', { to: null, data: { thread: 'obj:obj_0123456789', event: { type: 'objective.assigned' } } }],
    ['another final text', { auto: true }],
    ['its own message', { from: 'ben' }],
  ])('never %s', (_, over) => {
    expect(replyTo(message(1, over), 'ben')).toBeNull();
  });

  it('the newest message of each member, of five at most', () => {
    const many = Array.from({ length: 8 }, (_, n) => message(n, { from: `m${n % 6}` }));
    const replies = newestPerPlace(many.flatMap((one) => replyTo(one, 'ben') ?? []));
    expect(replies).toHaveLength(5);
    expect(replies.at(-1)).toEqual({ place: { kind: 'member', name: 'm5' }, inReplyTo: many[5]?.id });
  });
});

it('a long text is shortened and says so, and an empty one is none', () => {
  expect(replyText('  \n')).toBeNull();
  expect(replyText(' yes ')).toBe('yes');
  expect(replyText(`${'x'.repeat(7999)}😀`)).toBe(
    `${'x'.repeat(7999)}\n[shortened: 7999 of 8001 characters]`,
  );
});

describe('in a turn', () => {
  function setUp() {
    const posts: [string, string][] = [];
    let asked: string[] = [];
    const replies = createTurnReplies({
      self: 'ben',
      async post({ inReplyTo }, body) {
        posts.push([inReplyTo, body]);
        return { text: 'msg' };
      },
      onAsked(replies) {
        asked = replies.map(({ inReplyTo }) => inReplyTo);
      },
      log: () => undefined,
    });
    return { posts, replies, asked: () => asked };
  }
  const [first, second] = [message(1), message(2, { from: 'cy' })];

  it('in which the agent posted nothing, its final text is the reply', () => {
    const { posts, replies } = setUp();
    replies.brought([first], true);
    replies.finalText('forty-two');
    replies.turnEnded();
    expect(posts).toEqual([[first.id, 'forty-two']]);
    replies.finalText('nobody asked');
    replies.turnEnded();
    expect(posts).toHaveLength(1);
  });

  it('in which the agent posted something, there is none, and the next turn is not affected', () => {
    const { posts, replies } = setUp();
    replies.brought([first], true);
    replies.posted();
    replies.finalText('done');
    replies.turnEnded();
    expect(posts).toEqual([]);
    replies.brought([second], true);
    replies.finalText('yes');
    replies.turnEnded();
    expect(posts).toEqual([[second.id, 'yes']]);
  });

  it('a message that came after the agent’s post is answered', () => {
    const { posts, replies } = setUp();
    replies.brought([first], true);
    replies.posted();
    replies.brought([second], false);
    replies.reached([second.id]);
    replies.finalText('for cy');
    replies.turnEnded();
    expect(posts).toEqual([[second.id, 'for cy']]);
  });

  it('a message that came too late for the model is answered by the turn that it reaches', () => {
    const { posts, replies } = setUp();
    replies.brought([first], true);
    replies.brought([second], false);
    replies.finalText('for ada');
    replies.turnEnded();
    expect(posts).toEqual([[first.id, 'for ada']]);
    replies.reached([second.id]);
    replies.finalText('for cy');
    replies.turnEnded();
    expect(posts.slice(1)).toEqual([[second.id, 'for cy']]);
  });

  it('what the agent did not accept, or a turn ended on without a text, is not answered', () => {
    const { posts, replies } = setUp();
    replies.brought([first], true);
    replies.refused([first]);
    replies.brought([second], true);
    replies.turnEnded();
    replies.finalText('late');
    replies.turnEnded();
    expect(posts).toEqual([]);
  });

  it('that failed, what was asked is answered by the turn that continues it', () => {
    const { posts, replies, asked } = setUp();
    replies.brought([first], true);
    replies.turnFailed();
    expect(asked()).toEqual([first.id]);
    replies.finalText('forty-two');
    replies.turnEnded();
    expect(posts).toEqual([[first.id, 'forty-two']]);
    expect(asked()).toEqual([]);
  });

  it('that the end of an earlier run cut off, what was asked there is answered', () => {
    const { posts, replies } = setUp();
    replies.continueWith([{ place: { kind: 'member', name: 'ada' }, inReplyTo: first.id }]);
    replies.turnFailed();
    replies.finalText('forty-two');
    replies.turnEnded();
    expect(posts).toEqual([[first.id, 'forty-two']]);
  });
});
