/**
 * The question before quitting, because quitting ends the running agents
 * (specification/desktop.md#process-and-lifetime).
 */

export interface QuitQuestion {
  message: string;
  detail: string;
  /** The first button quits. */
  buttons: [string, string];
}

/** Returns null if no question is needed. */
export function quitQuestion(running: number): QuitQuestion | null {
  if (running === 0) return null;
  const isOne = running === 1;
  return {
    message: isOne ? 'An agent is running' : `${running} agents are running`,
    detail: `Quitting stops ${isOne ? 'it' : 'them'}. The files that ${isOne ? 'it' : 'they'} changed for the run are restored.`,
    buttons: [isOne ? 'Stop it and quit' : 'Stop them and quit', 'Cancel'],
  };
}
