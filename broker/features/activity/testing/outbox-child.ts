/**
 * A process that stages and drains until it is killed: `outbox-child.ts <main file> <activity file> <prefix>
 * <where>`. It prints the name of every row once it is durably staged. `where` names the step that it never
 * completes: `apply`, `remove`, or `nothing`.
 */
import process from 'node:process';
import { createActivityOutbox } from '../activity-outbox.service.ts';
import { activityNamed, openOutboxStores } from './outbox-stores.ts';

const [mainFile = '', activityFile = '', prefix = '', where = ''] = process.argv.slice(2);
const { main, activity } = await openOutboxStores(mainFile, activityFile);

function stopAt(place: string): Promise<never> {
  console.log(JSON.stringify({ stoppedAt: place }));
  return new Promise(() => undefined);
}

const outbox = createActivityOutbox({
  main: where === 'remove' ? { ...main.units, outboxRemoveUpTo: () => stopAt('remove') } : main.units,
  activity: where === 'apply' ? { ...activity.units, applyOutbox: () => stopAt('apply') } : activity.units,
  storeId: 'store',
  clock: Date.now,
});
setInterval(() => undefined, 1000);
for (let n = 0; ; n++) {
  const name = `${prefix}-${n}`;
  await main.units.stage([activityNamed(name)]);
  console.log(JSON.stringify({ staged: name }));
  if (n % 3 === 2) {
    const drained = outbox.drain();
    if (where !== 'nothing') await drained;
  }
}
