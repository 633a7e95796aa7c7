/** The answers of a machine that stands by: it is up, and another one must be asked. */
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { ListenAt } from '../broker.ts';
import { defaultHost, defaultPort } from '../broker-lifetime.ts';
import { connectionPolicy } from '../config/connection-policy.ts';
import { connectionLimit } from '../runtime/file-limit.ts';
import { createConnectionGuard } from '../wire/connection-guard.ts';
import { type Listener, listenHttp } from '../wire/listeners.ts';
import { answerPlain, answerRefused } from '../wire/raw-refusals.ts';

const answer =
  (version: string): RequestListener =>
  (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/healthz') answerPlain(response, { status: 'standby', version });
    else answerRefused(response, 'standing_by', { 'retry-after': '1' });
  };

/** The address of the active broker, as far as its configuration is here already. */
async function addressIn(configPath: string): Promise<Pick<ListenAt, 'host' | 'port'>> {
  try {
    const { listen }: { listen?: Record<string, unknown> } = JSON.parse(await readFile(configPath, 'utf8'));
    return {
      host: typeof listen?.host === 'string' ? listen.host : undefined,
      port: typeof listen?.port === 'number' ? listen.port : undefined,
    };
  } catch {
    return {};
  }
}

/** @throws StartUpError if it cannot listen at the address. */
export async function listenStandingBy(
  version: string,
  configPath: string,
  at: ListenAt,
): Promise<Pick<Listener, 'url' | 'close'>> {
  const policy = connectionPolicy(undefined, connectionLimit());
  const guard = createConnectionGuard({
    caps: () => policy.caps,
    isExempt: policy.isExempt,
    onLimit: () => undefined,
  });
  const configured = await addressIn(configPath);
  const listener = await listenHttp(answer(version), {
    host: at.host ?? configured.host ?? defaultHost,
    port: at.port ?? configured.port ?? defaultPort,
    insecureHttp: at.insecureHttp ?? false,
    guard,
  });
  return {
    url: listener.url,
    async close() {
      const closed = listener.close();
      listener.destroy();
      await closed;
      guard.stop();
    },
  };
}
