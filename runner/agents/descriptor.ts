/** The description of a kind of agent, as plain data: the runner, the command line, the desktop app, and the console all read it. */

/** `owned`: the runner controls the agent's input and output. `terminal`: the person does. */
export type Mode = 'owned' | 'terminal';

export interface AgentDescriptor {
  /** The word in `muster run <id>`. */
  id: string;
  /** For people. */
  name: string;
  /** Null if the person names the program. */
  install: {
    /** The program on the PATH. */
    program: string;
    /** The npm package that contains the program. */
    npmPackage: string;
    /** The oldest version with which every way of a message was tried. */
    minVersion: string;
  } | null;
  capabilities: {
    /** Modes in which a message starts a turn of an idle model. In other modes, a message waits for the agent's next tool call. */
    wakeModes: readonly Mode[];
    /** Whether a message reaches the model during a turn, in the modes in which it can be woken. */
    canSteer: boolean;
    /** Whether the agent can load the bridge's channel, which shows a message without proof of arrival. */
    hasChannel: boolean;
    /** The API of its model, whose exchanges the runner can record; null if they cannot be redirected. */
    exchanges: 'anthropic' | 'openai' | null;
    /** Whether the runner says who the agent is where the agent keeps such text, so that the bridge need not repeat it. */
    keepsInstructions: boolean;
    /** Whether `--unattended` turns off the agent's own permission questions. */
    canSkipApprovals: boolean;
  };
  /** Sentences for help texts, without the agent's name. */
  help: string;
}

/** Whether a message starts a turn of an agent of this kind. */
export const canWake = ({ capabilities }: AgentDescriptor, mode: Mode): boolean =>
  capabilities.wakeModes.includes(mode);

/** Returns the command that installs an npm package globally, for a person to run. */
export const installCommand = (npmPackage: string): string => `npm install -g ${npmPackage}`;
