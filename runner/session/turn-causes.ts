/** The messages that were brought into the present turn: they caused what the agent posts in it (docs/specification/runner.md#causes-of-a-post). */
import { limits } from '#protocol/limits.ts';

export interface TurnCauses {
  handedOver(messageIds: readonly string[]): void;
  /** Messages that are handed over from now on belong to another turn. */
  turnEnded(): void;
  /** A person begins a turn. */
  forget(): void;
  /** The newest ones, oldest first. */
  current(): readonly string[];
}

export function createTurnCauses(): TurnCauses {
  let ids: string[] = [];
  let isOver = false;
  return {
    handedOver(messageIds) {
      if (messageIds.length === 0) return;
      ids = [...new Set([...(isOver ? [] : ids), ...messageIds])].slice(-limits.holds.causes);
      isOver = false;
    },
    // They stay until something else is handed over, because the final text of a turn is posted after its end.
    turnEnded() {
      isOver = true;
    },
    forget() {
      ids = [];
    },
    current: () => ids,
  };
}
