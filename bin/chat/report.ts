/** The output of chat about messages and entered lines: as text, or with `--json` one JSON object per line. */
import type { Message } from '#protocol/message.ts';
import { colored, levelStyle } from '../colors.ts';
import { failureOf } from '../failure.ts';
import { messageLine } from '../message-line.ts';
import { printJsonLine } from '../output.ts';
import { oneLine } from '../terminal-text.ts';
import type { Screen } from './screen.ts';

export interface Report {
  /** Whether an entered line is reported as stored instead of shown as a message. */
  readonly isStructured: boolean;
  message(message: Message, slug: string | undefined): void;
  /** The broker has stored what was entered. */
  stored(message: Message): void;
  /** Somebody's receipt of a message that was entered here. */
  seen(message: Message, member: string, state: SeenState): void;
  refused(body: string, error: unknown): void;
  /** Chat ends before the broker acknowledged it; `mayHaveArrived` if it was passed on. */
  unsent(body: string, mayHaveArrived: boolean): void;
}

/** The receipts that are shown, and how. */
const seenWords = {
  read: 'read by',
  in_context: 'reached the model of',
  answered: 'answered by',
} as const;
export type SeenState = keyof typeof seenWords;
export const isSeenState = (state: string): state is SeenState => Object.hasOwn(seenWords, state);

const excerpt = (body: string): string => `"${oneLine(body.length > 60 ? `${body.slice(0, 60)}…` : body)}"`;

export function createTextReport(screen: Screen): Report {
  return {
    isStructured: false,
    message(message, slug) {
      screen.show(colored(levelStyle(message.level), messageLine(message, slug)));
    },
    stored(message) {
      if (screen.showsTyping) screen.status(`✓ stored: ${excerpt(message.body)}`);
    },
    seen(message, member, state) {
      if (screen.showsTyping)
        screen.status(`✓✓ ${seenWords[state]} ${oneLine(member)}: ${excerpt(message.body)}`);
    },
    refused(body, error) {
      screen.status(
        `not sent: "${oneLine(body.slice(0, 60))}": ${oneLine(failureOf(error, 'muster help chat').line)}`,
      );
    },
    unsent(body, mayHaveArrived) {
      screen.status(`not ${mayHaveArrived ? 'acknowledged' : 'sent'}: "${oneLine(body)}"`);
    },
  };
}

export function createJsonReport(): Report {
  return {
    isStructured: true,
    message: (message) => printJsonLine({ event: 'message', message }),
    stored: (message) => printJsonLine({ event: 'stored', message }),
    seen: ({ id }, member, state) => printJsonLine({ event: 'receipt', id, member, state }),
    refused: (body, error) =>
      printJsonLine({ event: 'refused', body, reason: failureOf(error, 'muster help chat').line }),
    unsent: (body, mayHaveArrived) =>
      printJsonLine({ event: mayHaveArrived ? 'not acknowledged' : 'not sent', body }),
  };
}
