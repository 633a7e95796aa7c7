import { describe, expect, it } from 'vitest';
import { createObjectivesTracker, type Fresh } from './objectives-tracker.ts';

const fresh = (over: object = {}): Fresh => ({
  briefing: {
    name: 'ben',
    role: { title: 'r', description: '' },
    instructions: '',
    permissions: [],
    rawPermissions: [],
    totpEnrolled: false,
    team: { name: 'T', directive: '', brief: '', permissionPresets: {} },
    teammates: [],
    openObjectives: [],
    ...over,
  } as unknown as Fresh['briefing'],
  originated: new Set(),
});

function setUp(answers: Fresh[]) {
  let reads = 0;
  let changes = 0;
  const gates: (() => void)[] = [];
  const tracker = createObjectivesTracker({
    first: fresh(),
    async read() {
      const answer = answers[Math.min(reads, answers.length - 1)] as Fresh;
      reads += 1;
      await new Promise<void>((resolve) => gates.push(resolve));
      return answer;
    },
    onChanged: () => {
      changes += 1;
    },
    onError: () => undefined,
  });
  const open = async () => {
    await expect.poll(() => gates.length).toBeGreaterThan(0);
    gates.shift()?.();
  };
  return { tracker, open, reads: () => reads, changes: () => changes };
}

describe('the objectives tracker', () => {
  it('treats a burst within 150 ms as one change', async () => {
    const { tracker, open, reads, changes } = setUp([fresh({ permissions: ['objectives.create'] })]);
    for (let n = 0; n < 5; n++) tracker.touch();
    expect(reads()).toBe(0);
    await open();
    await tracker.settled();
    expect([reads(), changes()]).toEqual([1, 1]);
    expect(tracker.briefing.permissions).toEqual(['objectives.create']);
    tracker.stop();
  });

  it('reads again if something changed during a read', async () => {
    const { tracker, open, reads } = setUp([fresh(), fresh({ permissions: ['activity.read'] })]);
    tracker.touch();
    await expect.poll(() => reads()).toBe(1);
    tracker.touch();
    await open();
    await open();
    await tracker.settled();
    expect(reads()).toBe(2);
    expect(tracker.briefing.permissions).toEqual(['activity.read']);
    tracker.stop();
  });

  it('reports a change of the agent’s own, and an update of an assigned objective, also if no tool appears or disappears', async () => {
    const one = { id: 'obj_0123456789', status: 'active', title: 'T', updatedAt: 1 };
    const { tracker, open, changes } = setUp([
      fresh(),
      fresh({ openObjectives: [one] }),
      fresh({ openObjectives: [{ ...one, updatedAt: 2 }] }),
    ]);
    let counted = 0;
    for (const isCertain of [true, false, false]) {
      tracker.touch(isCertain);
      await open();
      await tracker.settled();
      counted += 1;
      expect(changes()).toBe(counted);
    }
    tracker.stop();
  });

  it('reports nothing if the result is the same as before', async () => {
    const { tracker, open, changes } = setUp([fresh()]);
    tracker.touch();
    await open();
    await tracker.settled();
    expect(changes()).toBe(0);
    tracker.stop();
  });
});
