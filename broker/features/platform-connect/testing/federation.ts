/** A platform whose JWTs a broker accepts. */
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../../testing/test-broker.ts';
import { type Platform, startPlatform } from './platform.ts';

/** A platform, and a broker for its JWTs. */
export interface Federation {
  platform: Platform;
  team: TestBroker;
}

/** Starts a platform with the key `k1`, and a broker that knows it unless `options` say otherwise. */
export async function federate(
  clock: () => number,
  options?: (platform: Platform) => TestBrokerOptions,
): Promise<Federation> {
  const platform = await startPlatform(clock);
  await platform.addKey('k1', 'ES256');
  const { issuer, audience, jwksUrl } = platform;
  const known = { jwt: { issuer, audience, jwksUrl }, outbound: { allowHosts: ['127.0.0.1'] } };
  const team = await startTestBroker(options?.(platform) ?? { clock, config: known });
  return { platform, team };
}

/** Stops the broker, and then the platform. */
export async function endFederation({ platform, team }: Federation): Promise<void> {
  await team.stop();
  await platform.close();
}
