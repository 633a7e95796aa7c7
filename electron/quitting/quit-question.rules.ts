/** Quitting ends the agents that run, so a person is asked (design "Process and lifetime"). */

export interface QuitQuestion {
  message: string;
  detail: string;
  /** The first one quits. */
  buttons: [string, string];
}

/** Null: nothing to ask. */
export function quitQuestion(running: number): QuitQuestion | null {
  if (running === 0) return null;
  const isOne = running === 1;
  return {
    message: isOne ? 'An agent is running' : `${running} agents are running`,
    detail: `Quitting stops ${isOne ? 'it' : 'them'}. The files that ${isOne ? 'it' : 'they'} changed for the run are put back.`,
    buttons: [isOne ? 'Stop it and quit' : 'Stop them and quit', 'Cancel'],
  };
}
