/** Streams of a broker that cannot confirm its lease anymore: its requests are refused one by one (http/route.ts). */
import type { BrokerStreams } from '../broker-streams.ts';
import type { Foundation } from '../foundation.ts';
import type { Term } from './term.ts';

const lookMs = 200;

/** Ends all streams with `bye` when the lease lapses; their clients go where they are answered. */
export function fenceStreams(
  term: Term,
  {
    streams,
    teardown,
    log,
  }: Pick<Foundation, 'teardown' | 'log'> & { streams: Pick<BrokerStreams, 'endAll'> },
): void {
  let wasReliable = true;
  const timer = setInterval(() => {
    const { isReliable } = term;
    if (wasReliable && !isReliable) {
      log.error('the database does not confirm what it gets, so this broker answers nobody');
      streams.endAll();
    } else if (!wasReliable && isReliable) log.info('the database confirms again, and this broker answers');
    wasReliable = isReliable;
  }, lookMs).unref();
  teardown.defer(() => clearInterval(timer));
}
