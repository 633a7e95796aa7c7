/**
 * The broker's log: one JSON object per line, on standard error by default. Nothing secret is ever passed to
 * it.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { logDestination } from './log-destination.ts';
import { requestScope } from './request-scope.ts';

export type Log = Logger;

export function createLog(options: { level?: string; destination?: DestinationStream } = {}): Log {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => requestScope.getStore()?.span?.logIds() ?? {},
  };
  return pino(settings, options.destination ?? logDestination({ dest: 2 }));
}
