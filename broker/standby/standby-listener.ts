/** What a machine that stands by answers: that it is up, and that it is not the one to ask. */
import type { RequestListener } from 'node:http';
import { connectionPolicy } from '../config/connection-policy.ts';
import { connectionLimit } from '../runtime/file-limit.ts';
import { createConnectionGuard } from '../wire/connection-guard.ts';
import { type Listener, type ListenOptions, listenHttp } from '../wire/listeners.ts';
import { answerPlain, answerRefused } from '../wire/raw-refusals.ts';

const answer =
  (version: string): RequestListener =>
  (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/healthz') answerPlain(response, { status: 'standby', version });
    else answerRefused(response, 'standing_by', { 'retry-after': '1' });
  };

/** @throws StartUpError if it cannot listen at the address. */
export async function listenStandingBy(
  version: string,
  at: Omit<ListenOptions, 'guard'>,
): Promise<Pick<Listener, 'url' | 'close'>> {
  const policy = connectionPolicy(undefined, connectionLimit());
  const guard = createConnectionGuard({
    caps: () => policy.caps,
    isExempt: policy.isExempt,
    onLimit: () => undefined,
  });
  const listener = await listenHttp(answer(version), { ...at, guard });
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
