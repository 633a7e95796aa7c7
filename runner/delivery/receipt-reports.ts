/** Reports evidence to the broker: one report after another, and again if the broker was away. */
import { BrokerError } from '#protocol/errors.ts';
import type { Evidence } from '#protocol/receipt.ts';

export interface ReceiptReports {
  /** Reports it, unless the same or more was reported for this message. */
  add(messageId: string, evidence: Evidence): void;
  /** The broker is available again: reports the receipts that did not reach it. */
  repeat(): void;
  /** Resolves when every receipt was reported or, after `timeoutMs`, given up. */
  flush(timeoutMs: number): Promise<void>;
}

export interface ReceiptReportsDeps {
  report(messageId: string, state: Evidence, at: number): Promise<void>;
  /** The broker has it, or refuses it permanently. */
  onReported(messageId: string, evidence: Evidence): void;
  now: () => number;
  log: (event: string, data?: object) => void;
}

/** The most messages whose reports are remembered. */
const maxRemembered = 5000;
const strengthOf: Record<Evidence, number> = { accepted: 1, in_context: 2, answered: 3 };
/** The broker itself refused it, and no other attempt changes that. */
const isFinal = (error: unknown): boolean =>
  error instanceof BrokerError && !['unavailable', 'rate_limited', 'internal'].includes(error.code);

function dropOldest(remembered: Map<string, unknown>): void {
  for (const id of remembered.keys()) {
    if (remembered.size <= maxRemembered) return;
    remembered.delete(id);
  }
}

export function createReceiptReports({ report, onReported, now, log }: ReceiptReportsDeps): ReceiptReports {
  const strengthById = new Map<string, number>();
  /**
   * Receipts that the broker does not have; until then, it treats the message as waiting, so the message counts
   * as handed over.
   */
  const unreported = new Map<string, { evidence: Evidence; at: number }>();
  let reporting: Promise<void> = Promise.resolve();
  let areGivenUp = false;

  function queue(messageId: string, evidence: Evidence, at: number): void {
    const logFailure = (reason: string): void =>
      log('a receipt was not reported', { messageId, evidence, reason });
    reporting = reporting.then(async () => {
      if (areGivenUp) return logFailure('the run ended first');
      try {
        await report(messageId, evidence, at);
      } catch (error) {
        logFailure(String(error));
        if (!isFinal(error)) {
          unreported.set(messageId, { evidence, at });
          dropOldest(unreported);
          return;
        }
      }
      unreported.delete(messageId);
      onReported(messageId, evidence);
    });
  }

  return {
    add(messageId, evidence) {
      if ((strengthById.get(messageId) ?? 0) >= strengthOf[evidence]) return;
      strengthById.set(messageId, strengthOf[evidence]);
      dropOldest(strengthById);
      queue(messageId, evidence, now());
    },
    repeat() {
      for (const [id, { evidence, at }] of unreported) queue(id, evidence, at);
    },
    async flush(timeoutMs) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        areGivenUp = true;
        late.resolve();
      }, timeoutMs);
      await Promise.race([reporting, late.promise]);
      clearTimeout(timer);
    },
  };
}
