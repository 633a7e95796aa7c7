import type { BrokerState } from './tray-model.rules.ts';

/**
 * An error whose message is for the person; a page or a dialog shows it. `code` is a code of the API or of
 * the bridge.
 */
export class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** For what only the process of the active broker can do. */
export const notHere = ({ kind }: BrokerState): Refusal =>
  new Refusal(
    'unavailable',
    kind === 'standingBy'
      ? 'this machine stands by; do this on the machine that is active'
      : 'the broker is not running; see its log',
  );
