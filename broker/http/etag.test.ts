import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({ members: { ada: ['members.manage'], ben: [], cy: [], dan: [] } });
});
afterAll(() => team.stop());

const get = async (name: string, path: string, known?: string) => {
  const headers = known === undefined ? {} : { 'if-none-match': known };
  const reply = await team.fetch(name, path, { headers });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
};
const tagOf = async (name: string, path: string): Promise<string> =>
  (await get(name, path)).headers.get('etag') ?? 'no tag';

/** A page without a member whose requests are part of a test: each request changes its member's `lastSeen`. */
const ofDan = '/roster?limit=1&after=cy';
const tagged = [ofDan, '/members', '/members?limit=2', '/channels', '/channels?limit=1', '/briefing'];

describe.each(tagged)('GET %s', (path) => {
  it('answers 200 with a strong tag that only its reader may keep', async () => {
    const { status, headers } = await get('ben', path);
    expect(status).toBe(200);
    expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('answers 304 without a body to whoever has the present answer', async () => {
    const tag = await tagOf('ben', path);
    for (const known of [tag, `W/${tag}`, '*', `"other", ${tag}`]) {
      const { status, headers, text } = await get('ben', path, known);
      expect({ status, text, tag: headers.get('etag') }, known).toEqual({ status: 304, text: '', tag });
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('answers 200 with the whole body to a tag of something else', async () => {
    const whole = await get('ben', path);
    for (const known of ['"other"', 'W/"other"', '', (await tagOf('ben', path)).slice(1, -1)]) {
      const { status, text } = await get('ben', path, known);
      expect({ status, text }, known).toEqual({ status: 200, text: whole.text });
    }
  });

  it('never confirms the answer of another member', async () => {
    for (const other of ['ada', 'cy']) {
      expect((await get('ben', path, await tagOf(other, path))).status, other).toBe(200);
    }
  });
});

it('the presence of a member changes the tag of the pages that have the member', async () => {
  const tag = await tagOf('ben', ofDan);
  await team.as('cy').call('reportBusy', { body: { busy: true } });
  expect((await get('ben', ofDan, tag)).status).toBe(304);
  await team.as('dan').call('reportBusy', { body: { busy: true } });
  const { status, text } = await get('ben', ofDan, tag);
  expect({ status, isBusy: text.includes('"busy":true') }).toEqual({ status: 200, isBusy: true });
});

it.each(['/members', '/briefing', ofDan])('a changed permission changes the tag of %s', async (path) => {
  const set = (permissions: string[]) =>
    team.as('ada').call('updateMember', { params: { name: 'dan' }, body: { permissions } });
  const before = await tagOf('ben', path);
  await set(['objectives.create']);
  const { status, text } = await get('ben', path, before);
  expect({ status, isNew: text.includes('objectives.create') }).toEqual({ status: 200, isNew: true });
  await set([]);
  expect((await get('ben', path, before)).status).toBe(304);
});

it('an answer without a tag in its row has none', async () => {
  const { headers } = await get('ben', '/team');
  expect(headers.get('etag')).toBeNull();
});

it('a refusal has no tag, whatever the request names', async () => {
  const { status, headers } = await get('ben', '/members?limit=0', '*');
  expect([status, headers.get('etag')]).toEqual([400, null]);
});
