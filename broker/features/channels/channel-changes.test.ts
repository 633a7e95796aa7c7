import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ChannelSlug } from '#protocol/channel.ts';
import type { ChannelId, MemberName } from '#protocol/ids.ts';
import { openConfig } from '../../config/config-store.ts';
import { openKek } from '../../config/kek-file.ts';
import type { Actor } from '../../runtime/actor.ts';
import { createLog } from '../../runtime/log.ts';
import { mintChannelId } from '../../security/short-id.ts';
import { openForTest, testFolder } from '../../storage/testing/test-store.ts';
import { type AuditUnits, testAudit } from '../../testing/test-audit.ts';
import { createChannels } from './channels.service.ts';
import type { ChannelUnits } from './channels.sqlite.ts';

const actor = (name: string): Actor => ({
  name: name as MemberName,
  permissions: [],
  plane: 'bearer',
  isRun: false,
  credentialId: name,
  expiresAt: null,
});
const ben = actor('ben');
const cy = actor('cy');
const ops = 'ops' as ChannelSlug;

it('sends the id of a channel to listeners after each committed change of it, and nothing else', async () => {
  const folder = await testFolder();
  const path = join(folder, 'svc.json');
  const config = await openConfig({ path, kek: await openKek({ configPath: path, env: {} }) });
  const member = ({ name }: Actor) => ({
    name,
    role: { title: 'x', description: '' },
    instructions: '',
    rawPermissions: ['members.manage'],
    permissions: [],
  });
  await config.create({
    team: { name: 'T', directive: '', brief: '', permissionPresets: {} },
    store: { members: [member(ben), member(cy)] },
  });
  const { units } = await openForTest<ChannelUnits & AuditUnits>({
    store: 'main',
    file: ':memory:',
    threadModule: new URL('../../store-thread.ts', import.meta.url),
  });
  const team = () => config.current?.store.members ?? [];
  const told: ChannelId[] = [];
  const channels = createChannels({
    units,
    members: {
      find: (name) => team().find((one) => one.name === name),
      readerOf: (name) => ({ name, isManager: false }),
      teammates: team,
    },
    audit: testAudit(units, Date.now, createLog({ destination: { write: () => undefined } })),
    clock: Date.now,
    mintId: mintChannelId,
    since: 0,
    onChanged: (id) => told.push(id),
  });
  onTestFinished(() => expect(told).toEqual([]));

  async function tells(changing: Promise<unknown>, count: number): Promise<void> {
    await changing;
    expect(told.splice(0)).toEqual(Array(count).fill(id));
  }
  const { id } = await channels.create(ben, { slug: ops });
  expect(told.splice(0)).toEqual([id]);
  await expect(channels.create(cy, { slug: ops })).rejects.toMatchObject({ code: 'conflict' });
  await tells(channels.join(cy, ops, { member: cy.name }), 1);
  await tells(channels.join(cy, ops, { member: cy.name }), 0);
  await tells(channels.join(ben, ops, { member: cy.name, role: 'admin' }), 1);
  await tells(channels.view(cy, ops), 0);
  await tells(channels.list(cy, {}), 0);
  await tells(channels.change(ben, ops, { slug: ops }), 0);
  await tells(channels.change(ben, ops, { slug: 'dev' as ChannelSlug }), 1);
  await tells(channels.change(cy, 'dev' as ChannelSlug, { slug: ops }), 1);
  await tells(channels.leave(cy, ops, cy.name), 1);
  await tells(channels.archive(ben, ops), 1);
  await tells(channels.archive(ben, ops), 0);
  await expect(channels.join(cy, ops, { member: cy.name })).rejects.toMatchObject({ code: 'gone' });
});
