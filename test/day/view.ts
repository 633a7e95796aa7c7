/** The shape of a view, and the context from which each group of views is built. */
import type { Answer, DayBroker } from './day-broker.ts';
import type { Day } from './day-state.ts';

export interface View {
  title: string;
  expected: unknown;
  actual: () => Promise<unknown>;
  /** Updated after the reply, so it is checked again for a while. */
  isLate?: boolean;
}

export interface ViewContext {
  day: Day;
  broker: DayBroker;
  everyone: string[];
  get(by: string, path: string): Promise<Answer>;
}

export const okOr = <T>({ status, body }: Answer, of: (body: Answer['body']) => T): T | number =>
  status === 200 ? of(body) : status;
