import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { openTestToolbox, type TestToolbox } from './testing/test-toolbox.ts';

let team: TestBroker;
let ben: TestToolbox;
let cy: TestToolbox;
let ada: TestToolbox;
beforeAll(async () => {
  team = await startTestBroker({ config: { files: { root: 'files' } } });
  [ada, ben, cy] = (await Promise.all(['ada', 'ben', 'cy'].map((name) => openTestToolbox(team, name)))) as [
    TestToolbox,
    TestToolbox,
    TestToolbox,
  ];
});
afterAll(() => team.stop());

const { signal } = new AbortController();

describe('what is beside the specified texts', () => {
  const blocks = async (box: TestToolbox, name: string, input: unknown) => {
    const { content, structuredContent } = await box.toolbox.call(name, input, signal);
    return {
      notes: content.slice(1).map((block) => (block.type === 'text' ? block.text : block.type)),
      structuredContent,
    };
  };

  it('recent names the ids, pages with before, and reads the thread of an objective', async () => {
    for (const body of ['one', 'two', 'three'])
      await team.as('ada').call('push', { body: { to: 'ben', body } });
    const first = await blocks(ben, 'recent', { with: 'ada', limit: 2 });
    const { messages } = first.structuredContent as { messages: { id: string; body: string }[] };
    expect(messages.map(({ body }) => body)).toEqual(['three', 'two']);
    const [newest, oldest] = messages.map(({ id }) => id);
    expect(first.notes).toEqual([
      `ids, in this order: ${newest} ${oldest}\nolder ones: call recent again with before=${oldest}`,
    ]);
    const second = await ben.use('recent', { with: 'ada', limit: 2, before: oldest });
    expect(second).toContain(' ada → ben: one');
    expect(second).not.toContain('two');
    expect(await ben.use('recent', { before: 'yesterday' })).toBe(
      'error: recent: before: is not a message id',
    );
    const created = await cy.use('objectives_create', { title: 'T', outcome: 'O', assignee: 'ben' });
    const id = /obj_\w{10}/.exec(created)?.[0] ?? '';
    await cy.use('objectives_discuss', { id, body: 'how far?' });
    expect(await ben.use('recent', { objective: id })).toMatch(
      /^2 recent messages of the thread of .*: how far\?/s,
    );
    expect(await ben.use('recent', { objective: id, with: 'ada' })).toBe(
      'error: recent: pass at most one of with, channel, and objective',
    );
  });

  it('wait_for_messages gives the claimed text, and puts back what the agent did not get', async () => {
    expect(await ben.use('wait_for_messages', { seconds: 1 })).toBe('no message came within 1 s');
    ben.setNext({ messageIds: ['m1'], text: 'a block' });
    const before = ben.carried.length;
    expect(await ben.use('wait_for_messages')).toBe('a block');
    expect(ben.carried.slice(before)).toEqual(['m1']);
    expect(ben.unsent).toEqual([]);
    const lost = await ben.toolbox.call('wait_for_messages', {}, signal);
    ben.toolbox.answered(lost, false);
    expect(ben.unsent).toEqual(['m1']);
    expect(ben.carried.length).toBe(before + 1);
    expect(await ben.use('wait_for_messages', { seconds: 61 })).toMatch(
      /^error: wait_for_messages: seconds: /,
    );
  });

  it('gives a message that is longer than a result once, by its beginning', async () => {
    const [before, unsent] = [ben.carried.length, ben.unsent.length];
    ben.setShown(59_999);
    ben.setNext({ messageIds: ['long'], text: 'x'.repeat(70_000) });
    await ben.use('wait_for_messages');
    expect(ben.carried.slice(before)).toEqual(['long']);
    expect(ben.unsent.slice(unsent)).toEqual([]);
    const { message } = await team.as('cy').call('push', { body: { to: 'ben', body: 'y'.repeat(65_000) } });
    await ben.use('recent', { with: 'cy', limit: 1 });
    expect(ben.carried.slice(before)).toEqual(['long', message.id]);
    ben.setShown(null);
  });

  it('search finds messages, and unread counts them until they are marked as read', async () => {
    const { message } = await team
      .as('ada')
      .call('push', { body: { to: 'ben', body: 'the zebra crosses\nat noon' } });
    await expect
      .poll(() => ben.use('search', { query: 'zebra' }))
      .toBe(
        `1 results, newest first:\n- ${new Date(message.ts).toISOString()} ada in dm:ada, message ${message.id}: the zebra crosses at noon`,
      );
    expect(await ben.use('unread')).toMatch(/- dm:ada: [1-9]\d* unread, 0 mentions, read up to -/);
    expect(await ben.use('unread', { scope: 'dm:ada' })).toBe('error: unread: upTo is required');
    expect(await ben.use('unread', { scope: 'dm:ada', upTo: message.id })).not.toContain('dm:ada');
  });

  it('objectives_list lists by part', async () => {
    const created = await cy.use('objectives_create', {
      ...{ title: 'Watched', outcome: 'O', assignee: 'ben', watchers: ['ada'] },
    });
    const id = /obj_\w{10}/.exec(created)?.[0] ?? '';
    expect(await cy.use('objectives_list')).not.toContain(id);
    expect(await cy.use('objectives_list', { who: 'originated' })).toContain(
      `${id} [active] Watched — outcome: O (just now), assignee ben, originator cy`,
    );
    expect(await ada.use('objectives_list', { who: 'watched', status: 'active' })).toContain(id);
    expect(await ada.use('objectives_list', { who: 'originated' })).toBe('no objectives');
    expect(await ada.use('objectives_list', { who: 'all' })).toContain(id);
  });

  it('no result has structured content that is longer than what it shows', async () => {
    cy.setShown(10);
    expect((await blocks(cy, 'recent', { with: 'ada' })).structuredContent).toBeUndefined();
    cy.setShown(null);
  });

  it('every tool that posts may say what it answers', async () => {
    const { message } = await team.as('ada').call('push', { body: { body: 'who can help?' } });
    const created = await cy.use('objectives_create', { title: 'T', outcome: 'O', assignee: 'ben' });
    const id = /obj_\w{10}/.exec(created)?.[0] ?? '';
    const inReplyTo = message.id;
    await ben.use('send', { to: 'ada', body: 'direct', inReplyTo });
    await ben.use('broadcast', { body: 'to all', inReplyTo });
    await ben.use('objectives_discuss', { id, body: 'in the thread', inReplyTo });
    expect(ben.posted).toHaveLength(3);
    expect(await ben.use('send', { to: 'ada', body: 'x', inReplyTo: 'nothing' })).toMatch(
      /^error: broker error 400/,
    );
    await ben.use('recent', { before: message.id });
    expect(ben.posted).toHaveLength(3);
    const queries = [{ with: 'ben' }, {}, { objective: id }];
    for (const query of queries)
      expect((await team.as('ada').call('history', { query })).messages[0]).toMatchObject({ inReplyTo });
    const { receipts } = await team.as('ada').call('receipts', { params: { id: message.id } });
    expect(receipts.find(({ member }) => member === 'ben')).toMatchObject({ state: 'answered' });
  });

  it('a post whose answer was lost is repeated once, and stored once', async () => {
    let lost = 0;
    const proxy = createServer((request, response) => {
      const forward = httpRequest(team.url + request.url, {
        method: request.method,
        headers: request.headers,
      });
      request.pipe(forward);
      forward.on('response', (answer) => {
        if (request.method === 'POST' && lost === 0) {
          lost += 1;
          answer.resume().once('end', () => response.destroy());
        } else {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        }
      });
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void proxy.close().closeAllConnections());
    const { port } = proxy.address() as AddressInfo;
    const far = await openTestToolbox({ ...team, url: `http://127.0.0.1:${port}` }, 'ben');
    expect(await far.use('send', { to: 'cy', body: 'only once' })).toMatch(/^delivered to cy: /);
    expect(lost).toBe(1);
    const { messages } = await team.as('cy').call('history', { query: { with: 'ben' } });
    expect(messages.filter(({ body }) => body === 'only once')).toHaveLength(1);
  });
});

describe('files', () => {
  let work: string;
  let box: TestToolbox;
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'muster-files-'));
    box = await openTestToolbox(team, 'ben', 'all', work);
  });
  afterAll(() => rmSync(work, { recursive: true }));

  it('are text if their bytes are, and can be read in parts', async () => {
    await box.use('fs_write', {
      ...{ path: '/ben/a.ts', mimeType: 'application/octet-stream', text: 'let ä = 1;' },
    });
    const head = '/ben/a.ts: size=11 mime=application/octet-stream';
    expect(await box.use('fs_read', { path: '/ben/a.ts' })).toBe(`${head}\nlet ä = 1;`);
    const part = { path: '/ben/a.ts', limit: 5 };
    expect(await box.use('fs_read', part)).toBe(`${head}\nlet `);
    const { content } = await box.toolbox.call('fs_read', part, signal);
    expect(content.slice(1)).toEqual([{ type: 'text', text: 'up to byte 4 of 11; read on with offset=4' }]);
    expect(await box.use('fs_read', { path: '/ben/a.ts', offset: 4 })).toBe(`${head}\nä = 1;`);
    expect(await box.use('fs_read', { path: '/ben/a.ts', offset: 11 })).toMatch(/^error: broker error 416/);
  });

  it('are images for the model if they are', async () => {
    const bytes = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
    await box.use('fs_write', { path: '/ben/i', mimeType: 'a/b', base64: bytes.toString('base64') });
    expect((await box.toolbox.call('fs_read', { path: '/ben/i' }, signal)).content).toEqual([
      { type: 'text', text: '/ben/i: size=12 mime=a/b' },
      { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' },
    ]);
  });

  it('move between the team and the working folder, and not beyond it', async () => {
    writeFileSync(join(work, 'local.bin'), Buffer.from([0, 255]));
    const write = { path: '/ben/l.bin', mimeType: 'a/b', fromFile: 'local.bin' };
    expect(await box.use('fs_write', write)).toBe('wrote /ben/l.bin: size=2 mime=a/b');
    const read = { path: '/ben/l.bin', saveTo: 'copy.bin' };
    expect(await box.use('fs_read', read)).toBe('saved /ben/l.bin to copy.bin: size=2');
    expect([...readFileSync(join(work, 'copy.bin'))]).toEqual([0, 255]);
    expect(await box.use('fs_read', read)).toBe(
      'error: local file copy.bin: already exists. Pass overwrite to replace it.',
    );
    expect(await box.use('fs_read', { ...read, overwrite: true })).toMatch(/^saved /);
    expect(await box.use('fs_read', { ...read, saveTo: '../x' })).toBe(
      'error: local file ../x: is outside of the working folder',
    );
    expect(await box.use('fs_write', { ...write, path: '/ben/m', fromFile: '/etc/hostname' })).toMatch(
      /is outside of the working folder$/,
    );
  });
});
