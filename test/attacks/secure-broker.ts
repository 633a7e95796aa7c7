/** A broker that listens on plain HTTP and with TLS, and takes small files. */
import { freePort } from '../../broker/testing/free-port.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';

export interface SecureBroker {
  team: TestBroker;
  secureUrl: string;
  /** PEM of the authority that signed its certificate. */
  authority: string;
}

export async function startSecureBroker(): Promise<SecureBroker> {
  const team = await startTestBroker({
    config: {
      listen: { httpsHost: '127.0.0.1', httpsPort: await freePort() },
      files: { root: 'files', maxFileSize: 1024 * 1024 },
    },
  });
  const { url } = await team.broker.secureListener.start();
  return { team, secureUrl: url, authority: await (await team.fetch(null, '/ca.crt')).text() };
}
