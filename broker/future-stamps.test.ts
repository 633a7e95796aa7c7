/** Everything that counts the time by messages follows the time of acceptance while stamps are in the future of the clock (specification/diagnostics.md#clock). */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileTeam, startFileTeam } from './features/files/testing/file-team.ts';
import { openTestStream } from './testing/test-stream.ts';

const yearMs = 365 * 86_400_000;
let now: number;
let steady: number;
let team: FileTeam;

const say = async (by: string, body: object) =>
  (await team.as(by).call('push', { body: { body: 'x', ...body } })).message;

/** The clock was a year ahead for more than a minute, and is right again. */
beforeEach(async () => {
  [now, steady] = [Date.UTC(2026, 0, 1, 9), 0];
  team = await startFileTeam({
    members: { ada: ['admin'], ben: [], cy: [] },
    clock: () => now,
    steadyClock: () => steady,
  });
  now += yearMs;
  await say('ben', {});
  steady += 60_000;
  expect((await say('ben', {})).ts).toBe(now);
  now -= yearMs;
});
afterEach(() => team.stop());

describe('with stamps in the future', () => {
  it('an answer is told with the time by the clock, in a conversation and in a thread', async () => {
    const objective = await team
      .as('ada')
      .call('createObjective', { body: { title: 'T', outcome: 'O', assignee: 'ben' } });
    const inThread = { params: { id: objective.id } };
    const asked = await team.as('ada').call('discussObjective', { ...inThread, body: { body: 'when?' } });
    const direct = await say('ada', { to: 'ben' });
    const stream = await openTestStream(`${team.url}/subscribe?name=ada&events=all`, team.token('ada'));
    await team
      .as('ben')
      .call('discussObjective', { ...inThread, body: { body: 'now', inReplyTo: asked.id } });
    await say('ben', { to: 'ada', inReplyTo: direct.id });
    for (const { id } of [asked, direct]) {
      const news = { messageId: id, member: 'ben', state: 'answered', at: now };
      await stream.until((frames) =>
        frames.some(({ data }) => data.includes(`"messageId":"${id}"`) && data.includes('answered')),
      );
      expect(stream.frames.map(({ data }) => data)).toContain(JSON.stringify(news));
      const { receipts } = await team.as('ada').call('receipts', { params: { id } });
      expect(receipts.find(({ member }) => member === 'ben')).toMatchObject({ state: 'answered', at: now });
    }
    stream.close();
  });

  it('a grant of a file in a thread has the time by the clock', async () => {
    await team.write('ada', '/ada/plan.md', 'plan');
    const attachments = ['/ada/plan.md'];
    await team.write('ada', '/ada/first.md', 'first');
    const body = { title: 'T', outcome: 'O', assignee: 'ben', attachments: ['/ada/first.md'] };
    const { id } = await team.as('ada').call('createObjective', { body });
    await team.as('ada').call('discussObjective', { params: { id }, body: { body: 'see', attachments } });
    for (const path of ['/ada/first.md', '/ada/plan.md']) {
      const { grants } = await team.as('ada').call('fileGrants', { query: { path } });
      expect(grants).toMatchObject([{ member: 'ben', grantedAt: now }]);
    }
  });

  it('a held post has the time by the clock', async () => {
    const agents = ['ben', 'cy'] as const;
    for (const name of agents)
      await team.as(name).call('takeRun', { body: { runId: randomUUID(), host: 'mill', agent: 'sh' } });
    let cause = (await say('ada', { to: 'ben' })).id;
    for (let turn = 0; turn < 50; turn++) {
      const [by, to] = turn % 2 === 0 ? agents : [agents[1], agents[0]];
      const { message, held } = await team
        .as(by)
        .call('push', { body: { to, body: `turn ${turn}`, causes: [cause] } });
      if (held !== undefined) break;
      cause = message.id;
    }
    const { held } = await team.as('ada').call('heldPosts', {});
    expect(held).toMatchObject([{ at: now }]);
  });
});
