import { describe, expect, it } from 'vitest';
import { Diagnostics } from '#protocol/diagnostics.ts';
import { startTestBroker } from '../../testing/test-broker.ts';

describe('GET /diagnostics', () => {
  it('tells a manager the version, uptime, listeners, streams, queues, delay, stores, and limits', async () => {
    const team = await startTestBroker({
      onDisk: true,
      config: {
        files: { root: 'files', maxFileSize: 4321 },
        jwt: {
          issuer: 'https://id.example',
          audience: 'team:018f0000-0000-7000-8000-000000000000',
          jwksUrl: 'https://id.example/keys',
        },
      },
    });
    try {
      await team.stream('ben');
      const { message } = await team.as('ben').call('push', { body: { body: 'x' } });
      const found = Diagnostics.parse(await team.as('ada').call('diagnostics', {}));
      const { version } = await team.as('ben').call('health', {});
      expect(found).toMatchObject({
        version,
        listeners: [{ url: team.url, fingerprint: null }],
        streams: { messages: 1, activity: 0 },
        federation: {
          issuer: 'https://id.example',
          audience: 'team:018f0000-0000-7000-8000-000000000000',
          jwksUrl: 'https://id.example/keys',
        },
        telemetry: { isEnabled: false, endpoint: null },
        limits: { maxFileSize: 4321, history: { pageMax: 500 } },
      });
      const [main, activity] = found.stores;
      expect(main).toMatchObject({ name: 'main', isOnDisk: true });
      expect(main?.bytes).toBeGreaterThan(4096);
      expect(main?.lastCommitAt).toBeGreaterThanOrEqual(message.ts - 1000);
      expect(activity).toMatchObject({ name: 'activity', isOnDisk: true });
      expect(found.eventLoopDelay.max).toBeGreaterThanOrEqual(found.eventLoopDelay.p50);
      expect(activity?.fileId).toMatch(/^\d+:\d+$/);
      expect(JSON.stringify(found)).not.toContain(team.folder);
    } finally {
      await team.stop();
    }
  });

  it('tells where the time of each operation went', async () => {
    const team = await startTestBroker({ onDisk: true });
    try {
      await team.stream('ben');
      for (const body of ['a', 'b', 'c']) await team.as('ben').call('push', { body: { body } });
      expect((await team.fetch('ben', '/history?limit=0')).status).toBe(400);
      const { operations, fanOut } = await team.as('ada').call('diagnostics', {});
      const names = operations.map(({ operation }) => operation);
      expect(names).toEqual(names.toSorted());
      const push = operations.find(({ operation }) => operation === 'push');
      expect(push).toMatchObject({ count: 3, phases: { commit: { p50Ms: expect.any(Number) } } });
      const phases = Object.values(push?.phases ?? {});
      for (const { p50Ms, p99Ms, maxMs } of [...phases, ...(push === undefined ? [] : [push])]) {
        expect(p50Ms).toBeLessThanOrEqual(p99Ms);
        expect(p99Ms).toBeLessThanOrEqual(maxMs);
      }
      expect(push?.phases.statements.p50Ms).toBeGreaterThan(0);
      expect(push?.phases.commit.p50Ms).toBeGreaterThan(0);
      expect(push?.maxMs).toBeGreaterThanOrEqual(push?.phases.commit.maxMs ?? Number.POSITIVE_INFINITY);
      // A refused request counts, and did not ask the store.
      expect(operations.find(({ operation }) => operation === 'history')).toMatchObject({
        count: 1,
        phases: { statements: { maxMs: 0 }, commit: { maxMs: 0 } },
      });
      expect(fanOut.count).toBeGreaterThan(0);
    } finally {
      await team.stop();
    }
  });

  it('is for managers only, and says that a store in memory does not last', async () => {
    const team = await startTestBroker();
    try {
      expect((await team.fetch('ben', '/diagnostics')).status).toBe(403);
      const { stores } = await team.as('ada').call('diagnostics', {});
      expect(stores.map(({ isOnDisk, bytes }) => [isOnDisk, bytes])).toEqual([
        [false, 0],
        [false, 0],
      ]);
    } finally {
      await team.stop();
    }
  });
});
