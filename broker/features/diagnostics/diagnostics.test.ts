import { describe, expect, it } from 'vitest';
import { Diagnostics } from '#protocol/diagnostics.ts';
import { startTestBroker } from '../../testing/test-broker.ts';

describe('GET /diagnostics', () => {
  it('tells a manager of version, uptime, listeners, streams, queues, delay, stores and limits', async () => {
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
      expect(JSON.stringify(found)).not.toContain(team.folder);
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
