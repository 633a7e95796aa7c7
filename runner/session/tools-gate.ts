/**
 * Holds messages back until the agent has the team's tools: a model that is woken earlier would have to do without them, and its bridge
 * may be slow to start.
 */
export interface ToolsGate {
  /** The agent asked for the list of tools. */
  listed(): void;
  /** The agent has started. */
  begin(): void;
  /** No more messages. */
  end(): void;
}

export interface ToolsGateDeps {
  /** An agent that cannot be woken fetches its messages and needs no gate. */
  canWake: boolean;
  setReady(isReady: boolean): void;
  log: (event: string) => void;
}

/** Longer than a bridge needs to start. An agent that has not asked for the tools by then may do without them. */
const toolsTimeoutMs = 30_000;

export function createToolsGate({ canWake, setReady, log }: ToolsGateDeps): ToolsGate {
  let isListed = !canWake;
  let state: 'waiting' | 'begun' | 'ended' = 'waiting';
  let timer: NodeJS.Timeout | undefined;

  function openIfDue(): void {
    if (!isListed || state !== 'begun') return;
    clearTimeout(timer);
    setReady(true);
  }

  return {
    listed() {
      if (isListed) return;
      isListed = true;
      openIfDue();
    },
    begin() {
      state = 'begun';
      timer = setTimeout(() => {
        log('the agent did not list the tools in time; messages are delivered anyway');
        isListed = true;
        openIfDue();
      }, toolsTimeoutMs);
      openIfDue();
    },
    end() {
      state = 'ended';
      clearTimeout(timer);
      setReady(false);
    },
  };
}
