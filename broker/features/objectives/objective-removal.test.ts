import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { changeStore, storeRows } from '../../testing/store-rows.ts';
import { type ObjectiveTeam, startObjectiveTeam } from './testing/objective-team.ts';

let team: ObjectiveTeam;
beforeEach(async () => {
  team = await startObjectiveTeam({ onDisk: true });
});
afterEach(() => team.stop());

const reason = 'ben was removed from the team';
const view = (id: string) => team.as('ada').call('objective', { params: { id } });
const remove = (name: string) => team.as('ada').call('deleteMember', { params: { name } });
const eventOf = ({ data }: Message) => data.event as { type: string; objectiveId: string } | undefined;

describe('removing a member', () => {
  it('makes its open objectives blocked with a reason that names the removal, by system; others stay as they are', async () => {
    const active = await team.create();
    const blocked = await team.create();
    const done = await team.create();
    const other = await team.create({ assignee: 'cy' });
    await team.send('ben', 'PATCH', `/objectives/${blocked.id}`, { status: 'blocked', blockReason: 'paint' });
    await team.send('ben', 'POST', `/objectives/${done.id}/complete`, { result: 'x' });
    await remove('ben');
    for (const { id } of [active, blocked]) {
      const { objective, events } = await view(id);
      expect(objective).toMatchObject({ status: 'blocked', blockReason: reason, assignee: 'ben' });
      expect(events.at(-1)).toMatchObject({ actor: 'system', kind: 'blocked', payload: { reason } });
    }
    expect((await view(done.id)).objective.status).toBe('done');
    expect((await view(done.id)).events).toHaveLength(2);
    expect((await view(other.id)).objective).toEqual(other);
  });

  it('tells the thread live and in its history; a manager gives the objective to another member', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    const streams = await Promise.all(['ora', 'cy', 'dee'].map((name) => team.stream(name)));
    await remove('ben');
    await team.as('ada').call('push', { body: { body: 'the end' } });
    for (const stream of streams)
      await stream.until((frames) => frames.some(({ data }) => data.includes('the end')));
    const [ora, cy, dee] = streams.map((stream) => stream.messages().slice(0, -1));
    expect(ora).toEqual([
      expect.objectContaining({
        from: 'system',
        level: 'warning',
        body: `system blocked “Ship”: ${reason}`,
        data: {
          thread: `obj:${id}`,
          event: { type: 'objective.blocked', objectiveId: id, seq: 2, payload: { reason } },
        },
      }),
    ]);
    expect(cy).toEqual(ora);
    expect(dee).toEqual([]);
    const { messages } = await team.as('cy').call('history', { query: { objective: id } });
    expect(messages[0]).toEqual(ora![0]);
    await team.as('ada').call('reassignObjective', { params: { id }, body: { to: 'dee' } });
    const active = await team
      .as('dee')
      .call('updateObjective', { params: { id }, body: { status: 'active' } });
    expect(active).toMatchObject({ assignee: 'dee', status: 'active', blockReason: null });
  });

  it('removes it from the watchers, with an event by system; only open objectives have a notice', async () => {
    const open = await team.create({ assignee: 'cy', watchers: ['ben', 'dee'] });
    const closed = await team.create({ assignee: 'cy', watchers: ['ben'] });
    await team.send('ora', 'POST', `/objectives/${closed.id}/cancel`, {});
    const stream = await team.stream('cy');
    await remove('ben');
    await stream.until((frames) => frames.some(({ event }) => event === 'message'));
    for (const { id } of [open, closed]) {
      const { objective, events } = await view(id);
      expect(objective.watchers).not.toContain('ben');
      expect(events.at(-1)).toMatchObject({
        actor: 'system',
        kind: 'watcher_removed',
        payload: { name: 'ben' },
      });
    }
    expect((await view(closed.id)).objective.status).toBe('cancelled');
    await team.as('ada').call('push', { body: { body: 'the end' } });
    await stream.until((frames) => frames.some(({ data }) => data.includes('the end')));
    expect(stream.messages().map((message) => eventOf(message)?.objectiveId)).toEqual([open.id, undefined]);
  });

  it('works for more objectives than fit into one transaction, with ids in the order of acceptance', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 150; n++) ids.push((await team.create({ title: `${n}` })).id);
    const stream = await team.stream('ora');
    const talking = Array.from({ length: 40 }, (_, n) =>
      team.as('cy').call('push', { body: { body: `meanwhile ${n}` } }),
    );
    await Promise.all([remove('ben'), ...talking]);
    await stream.until((frames) => frames.filter(({ event }) => event === 'message').length === 190);
    const { objectives } = await team.as('ada').call('objectives', { query: { status: 'blocked' } });
    expect(objectives.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const received = stream.messages();
    expect(received.map(({ id }) => id)).toEqual(received.map(({ id }) => id).sort());
    expect(received.filter((message) => eventOf(message)?.type === 'objective.blocked')).toHaveLength(150);
  });

  it('is completed at the next start if the process ended in between, once', async () => {
    const { id } = await team.create({ watchers: ['cy'] });
    await team.create({ assignee: 'cy', watchers: ['ben'] });
    const cursor = (await team.stream('ora')).cursor();
    await remove('ben');
    await team.broker.close();
    const file = join(team.folder, 'main.db');
    // As it was between the two writes of the removal.
    changeStore(
      file,
      `UPDATE retired_name SET settled_at = NULL;
       UPDATE objective SET status = 'active', block_reason = NULL WHERE id = '${id}';
       DELETE FROM objective_event WHERE kind IN ('blocked', 'watcher_removed');
       DELETE FROM addressed WHERE seq > 2; DELETE FROM message WHERE seq > 2;
       INSERT INTO objective_watcher (num, position, member) VALUES (2, 7, 'ben');`,
    );
    await team.restart();
    expect((await view(id)).objective).toMatchObject({ status: 'blocked', blockReason: reason });
    const stream = await team.stream('ora', cursor);
    const types = () => stream.messages().map((message) => eventOf(message)?.type);
    await stream.until(() => types().length === 2);
    expect(types()).toEqual(['objective.blocked', 'objective.watcher_removed']);
    await team.restart();
    expect((await view(id)).events).toHaveLength(2);
    expect(storeRows(file, 'SELECT name FROM retired_name WHERE settled_at IS NULL')).toEqual([]);
  });

  it('by hand in svc.json leaves nothing open that a new member of that name would inherit', async () => {
    const { id } = await team.create();
    await team.broker.close();
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    config.store.members = config.store.members.filter(({ name }: { name: string }) => name !== 'ben');
    await writeFile(team.configPath, JSON.stringify(config), { mode: 0o600 });
    await team.restart();
    await team.as('ada').call('createMember', {
      body: { name: 'ben', role: { title: 'New' }, permissions: [] },
    });
    expect((await view(id)).objective).toMatchObject({ status: 'blocked', blockReason: reason });
  });
});
