/** The tokens of the team as devices (specification/authentication.md#devices). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const devices = async (name: string, query: Record<string, string> = {}) =>
  (await team.as(name).call('devices', { query })).devices;
const enroll = async (label: string) => {
  const { userCode } = await team.as('ada').call('enroll', { body: { labelHint: label } });
  const body = { mode: 'bind' as const, userCode, memberName: 'ben', label };
  return (await team.as('ada').call('approveEnrollment', { body })).tokenInfo.id;
};

describe('GET /devices', () => {
  it('has every token for a manager, and for others only their own', async () => {
    const laptop = await enroll('laptop');
    await team.as('ada').call('createRunToken', { params: { name: 'ben' }, body: { label: 'run' } });
    const all = await devices('ada');
    expect(all.map(({ memberName }) => memberName).sort()).toEqual(['ada', 'ben', 'ben', 'ben', 'cy']);
    const own = await devices('ben');
    expect(own.map(({ memberName }) => memberName)).toEqual(['ben', 'ben', 'ben']);
    expect(own.find(({ id }) => id === laptop)).toMatchObject({
      ...{ label: 'laptop', createdBy: 'ada', isRun: false, isPrimary: false },
      ...{ lastUsedAt: null, address: null },
    });
    expect(own.filter(({ isRun }) => isRun)).toMatchObject([{ label: 'run' }]);
    expect(own.filter(({ isPrimary }) => isPrimary)).toMatchObject([{ origin: 'bootstrap' }]);
    expect(JSON.stringify(all)).not.toContain('sha256');
  });

  it('says when and from which address a token was used last, also after a restart', async () => {
    await team.as('ben').call('session', {});
    const used = async () => (await devices('ada')).find(({ memberName }) => memberName === 'ben');
    const before = await used();
    expect(before).toMatchObject({ address: '127.0.0.1', lastUsedAt: expect.any(Number) });
    await team.restart();
    expect(await used()).toEqual(before);
  });

  it('is answered in pages', async () => {
    const ids = (await devices('ada')).map(({ id }) => id);
    const [first] = ids;
    expect((await devices('ada', { limit: '1' })).map(({ id }) => id)).toEqual([first]);
    expect((await devices('ada', { after: first ?? '' })).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it('no longer has a revoked token, and those who may see it are told', async () => {
    const laptop = await enroll('laptop');
    const stream = await openTestStream(`${team.url}/subscribe?name=ben&events=all`, team.token('ben'));
    await team.as('ada').call('revokeToken', { params: { name: 'ben', id: laptop } });
    await stream.until((frames) =>
      frames.some(({ event, data }) => event === 'change' && data.includes('"ben"')),
    );
    expect((await devices('ben')).map(({ id }) => id)).not.toContain(laptop);
    stream.close();
  });
});
