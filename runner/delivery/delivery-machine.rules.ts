/**
 * The way of messages from the stream to the model as a state machine: each event gives the next state and what is
 * to be done (specification/runner.md#bringing-messages-to-the-model). Pure.
 */
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import {
  add,
  bringNext,
  brought,
  claim,
  evidence,
  notBrought,
  pass,
  putBack,
  setReady,
} from './delivery-queue.rules.ts';
import { andThen, type DeliveryState, type Note, type Step, stay } from './delivery-state.rules.ts';
import { type ModelEvent, modelStep } from './model-steps.rules.ts';

export type DeliveryEvent =
  /** `cursor`: its position in the stream, if it came from there. */
  | { kind: 'added'; message: Message; cursor: string | null; wakes: boolean }
  /** A message that is not for the model: the stream's position moves past it. */
  | { kind: 'passed'; id: string; cursor: string }
  /** These many older messages wait at the broker. */
  | { kind: 'older'; count: number }
  /** Messages can be delivered to the agent now, or no longer. */
  | { kind: 'ready'; isReady: boolean }
  /** The agent fetches these itself, with the number of older ones. */
  | { kind: 'claimed'; ids: readonly string[]; older: number }
  /** They were not accepted after all. */
  | { kind: 'put back'; ids: readonly string[] }
  /** The agent's process accepted the bundle on its way, or did not. */
  | { kind: 'brought' }
  | { kind: 'not brought' }
  /** The pause after a bundle that was not accepted is over. */
  | { kind: 'pause over' }
  | { kind: 'evidence'; ids: readonly string[]; evidence: Evidence }
  | { kind: 'noted'; note: Note | null }
  | { kind: 'proof awaited' }
  | ModelEvent;

function stepOf(state: DeliveryState, event: DeliveryEvent): Step {
  switch (event.kind) {
    case 'added':
      return add(state, event.message, event.cursor, event.wakes);
    case 'passed':
      return pass(state, event.id, event.cursor);
    case 'older':
      return stay({ ...state, older: state.older + event.count });
    case 'ready':
      return stay(setReady(state, event.isReady));
    case 'claimed':
      return stay(claim(state, event.ids, event.older));
    case 'put back':
      return stay(putBack(state, event.ids, false));
    case 'brought':
      return stay(brought(state));
    case 'not brought':
      return notBrought(state);
    case 'pause over':
      return stay({ ...state, isPaused: false });
    case 'evidence':
      return evidence(state, event.ids, event.evidence);
    case 'noted':
      return stay({ ...state, note: event.note });
    case 'proof awaited':
      return stay({ ...state, isProofAwaited: true });
    default:
      return modelStep(state, event);
  }
}

/** The next state, and what is to be done, in order. */
export const step = (state: DeliveryState, event: DeliveryEvent): Step =>
  andThen(stepOf(state, event), bringNext);
