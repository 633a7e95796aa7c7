/**
 * Holds messages back until the agent has the team's tools: a model that is woken earlier would have to do without them, and its bridge
 * may be slow to start. Says so when an agent never asks for them.
 */
export interface ToolsGate {
  /** The agent asked for the list of tools. */
  listed(): void;
  /** The agent called a tool, so it has them, whether it listed them or not. Opens nothing. */
  called(): void;
  /** The agent has started. */
  begin(): void;
  /** No more messages. */
  end(): void;
}

export interface ToolsGateDeps {
  /** An agent that cannot be woken fetches its messages and needs no gate. */
  canWake: boolean;
  setReady(isReady: boolean): void;
  /** The agent neither asked for the tools nor called one in 30 s, or before it ended. Called once at most. */
  onMissing(when: 'in time' | 'at all'): void;
  /** An agent that was reported as missing its tools in time has asked for them, or has called one. */
  onFound(): void;
}

/** Longer than a bridge needs to start. An agent that has not asked for the tools by then may do without them. */
const toolsTimeoutMs = 30_000;

export function createToolsGate({ canWake, setReady, onMissing, onFound }: ToolsGateDeps): ToolsGate {
  let isListed = false;
  let isMissed = false;
  let isCalled = false;
  let isReported = false;
  let state: 'waiting' | 'begun' | 'ended' = 'waiting';
  let timer: NodeJS.Timeout | undefined;

  function openIfDue(): void {
    if (state === 'begun' && (isListed || isMissed || !canWake)) setReady(true);
  }

  function found(): void {
    if (isReported) onFound();
    isReported = false;
  }

  return {
    listed() {
      if (isListed) return;
      isListed = true;
      found();
      clearTimeout(timer);
      if (canWake && !isMissed) openIfDue();
    },
    called() {
      isCalled = true;
      found();
    },
    begin() {
      state = 'begun';
      openIfDue();
      if (isListed) return;
      timer = setTimeout(() => {
        isMissed = true;
        if (!isCalled) {
          isReported = true;
          onMissing('in time');
        }
        if (canWake) openIfDue();
      }, toolsTimeoutMs);
    },
    end() {
      const wasBegun = state === 'begun';
      state = 'ended';
      clearTimeout(timer);
      setReady(false);
      if (wasBegun && !isListed && !isCalled && !isMissed) onMissing('at all');
    },
  };
}
