/** People and agents (specification/members.md#kinds). */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'], ben: [], cy: [] } });
});
afterEach(() => team.stop());

const kindOf = async (name: string) =>
  (await team.as('cy').call('memberKinds', {})).kinds.find((one) => one.name === name);
const run = async (name: string) => {
  const body = { runId: randomUUID(), host: 'mill', agent: 'Claude Code 2' };
  await team.as(name).call('takeRun', { body });
  await team.as(name).call('endRun', { params: { id: body.runId } });
};
const set = (name: string, kind: 'person' | 'agent' | null) =>
  team.as('ada').call('setMemberKind', { params: { name }, body: { kind } });

describe('the kind of a member', () => {
  it('is a person until a run works as the member, and an agent from then on, also after a restart', async () => {
    expect(await kindOf('ben')).toEqual({ name: 'ben', kind: 'person', isSet: false });
    await run('ben');
    expect(await kindOf('ben')).toEqual({ name: 'ben', kind: 'agent', isSet: false });
    await team.restart();
    expect(await kindOf('ben')).toEqual({ name: 'ben', kind: 'agent', isSet: false });
    expect(await kindOf('cy')).toMatchObject({ kind: 'person' });
  });

  it('is an agent as soon as a token for a run exists, also after a restart', async () => {
    await team.as('ada').call('createRunToken', { params: { name: 'ben' }, body: { label: 'run' } });
    expect(await kindOf('ben')).toMatchObject({ kind: 'agent' });
    await team.restart();
    expect(await kindOf('ben')).toMatchObject({ kind: 'agent' });
  });

  it('is a person if the member has an authenticator, whatever ran as it', async () => {
    await run('ben');
    await team.as('ben').call('enrollTotp', { params: { name: 'ben' } });
    expect(await kindOf('ben')).toMatchObject({ kind: 'person' });
  });

  it('is what an operator set, until the operator lets it be derived, also after a restart', async () => {
    expect(await set('cy', 'agent')).toEqual({ name: 'cy', kind: 'agent', isSet: true });
    await run('ben');
    await set('ben', 'person');
    await team.restart();
    expect(await kindOf('cy')).toEqual({ name: 'cy', kind: 'agent', isSet: true });
    expect(await kindOf('ben')).toEqual({ name: 'ben', kind: 'person', isSet: true });
    await set('cy', null);
    await set('ben', null);
    await team.restart();
    expect(await kindOf('cy')).toEqual({ name: 'cy', kind: 'person', isSet: false });
    expect(await kindOf('ben')).toEqual({ name: 'ben', kind: 'agent', isSet: false });
  });

  it('is answered for everybody, or for a page by name', async () => {
    const names = async (query: Record<string, string>) =>
      (await team.as('ben').call('memberKinds', { query })).kinds.map(({ name }) => name);
    expect(await names({})).toEqual(['ada', 'ben', 'cy']);
    expect(await names({ limit: '1', after: 'ada' })).toEqual(['ben']);
  });

  it('cannot be set for a member that does not exist', async () => {
    await expect(set('nobody', 'agent')).rejects.toMatchObject({ status: 404 });
  });

  it('is forgotten with the member', async () => {
    await set('cy', 'agent');
    await team.as('ada').call('deleteMember', { params: { name: 'cy' } });
    const { kinds } = await team.as('ada').call('memberKinds', {});
    expect(kinds.map(({ name }) => name)).toEqual(['ada', 'ben']);
  });
});

describe('a change of the kind', () => {
  it('is in the audit log with who made it, once', async () => {
    await set('cy', 'agent');
    await set('cy', 'agent');
    await set('cy', null);
    const { records } = await team.as('ada').call('audit', { query: { kind: 'member_changed' } });
    expect(records).toMatchObject([
      { subject: 'cy', member: 'ada', before: { kind: 'agent' }, after: { kind: 'derived' } },
      { subject: 'cy', member: 'ada', before: { kind: 'derived' }, after: { kind: 'agent' } },
    ]);
  });

  it('is told to everybody, whether an operator, a run, or an authenticator causes it', async () => {
    const stream = await openTestStream(`${team.url}/subscribe?name=cy&events=all`, team.token('cy'));
    const told = () =>
      stream.frames
        .filter(({ event }) => event === 'change')
        .map(({ data }) => JSON.parse(data))
        .filter(({ resource, id }) => resource === 'member' && id === 'ben').length;
    await set('ben', 'agent');
    await expect.poll(told).toBe(1);
    await set('ben', null);
    await expect.poll(told).toBe(2);
    await run('ben');
    await expect.poll(told).toBe(3);
    await team.as('ben').call('enrollTotp', { params: { name: 'ben' } });
    await expect.poll(told).toBe(4);
    stream.close();
  });
});
