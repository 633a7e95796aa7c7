import { expect, it, onTestFinished } from 'vitest';
import { freePort } from './testing/free-port.ts';
import { startTestBroker } from './testing/test-broker.ts';

it('a broker that only its own machine reaches names no address', async () => {
  const httpsPort = await freePort();
  const t = await startTestBroker({
    config: { listen: { httpsHost: '127.0.0.1', httpsPort, hosts: ['team.example.com'] } },
  });
  onTestFinished(() => t.stop());
  expect(await t.as('ben').call('addresses', {})).toEqual({ addresses: [] });
  await t.broker.secureListener.start();
  expect(await t.as('ben').call('addresses', {})).toEqual({ addresses: [] });
});
