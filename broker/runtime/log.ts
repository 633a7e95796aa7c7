/**
 * The broker's log: one JSON object per line, on standard error by default. Nothing secret is ever passed to
 * it.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { requestScope } from './request-scope.ts';

export type Log = Logger;

/** The bytes that wait in memory while standard error cannot be written; more lines are dropped. */
const maxWaitingBytes = 1024 * 1024;

/** Writing a line never throws, for example if standard error is a file on a full disk. */
function standardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: maxWaitingBytes });
  // Otherwise, whoever writes a line gets the error. The next line tries again.
  stream.on('error', () => undefined);
  return stream;
}

export function createLog(options: { level?: string; destination?: DestinationStream } = {}): Log {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => requestScope.getStore()?.span?.logIds() ?? {},
  };
  return pino(settings, options.destination ?? standardError());
}
