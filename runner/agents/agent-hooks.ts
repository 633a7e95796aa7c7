/** Hooks of an agent in a terminal: how messages reach its model there (specification/runner.md#terminals). */

/**
 * When a hook asks the runner. `prompt`: the person, or a wake-up, begins a turn. `tools`: tools have run in the
 * middle of a turn. `stop`: the turn would end. `failed`: the turn ended because the model refused. `wake`: the hook stays until the idle agent is to be woken.
 */
export const hookMoments = ['prompt', 'tools', 'stop', 'failed', 'wake'] as const;
export type HookMoment = (typeof hookMoments)[number];
/** The moments at which a hook hands over messages. */
export type HandoverMoment = Exclude<HookMoment, 'failed' | 'wake'>;

/** The output of the hook's process, and the code with which it ends. */
export interface HookAnswer {
  stdout: string;
  stderr: string;
  code: number;
}

/** Messages for the model, and the same for the person at the terminal. */
export interface HandedTexts {
  text: string;
  shown: string;
}

export interface AgentHooks {
  /** The longest text for the model that the agent passes on completely, in UTF-16 units. */
  maxCharacters(moment: HandoverMoment): number;
  /** Returns what hands over the texts at this moment, in the agent's own form. */
  answer(moment: HandoverMoment, texts: HandedTexts): HookAnswer;
  /** The answer that begins a turn of an idle agent; null if no hook can. */
  wake: HookAnswer | null;
  /** Arguments with which the agent answers one prompt without a terminal, with the hooks of a terminal except `wake`. */
  argsForPrompt(prompt: string): readonly string[];
}

/** Returns an answer that is one JSON object, as agents read it from a hook that succeeded. */
export const jsonAnswer = (value: object): HookAnswer => ({
  stdout: `${JSON.stringify(value)}\n`,
  stderr: '',
  code: 0,
});
