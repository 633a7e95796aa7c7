/** One row of the toolbox (specification/runner.md#toolbox). */
import type { z } from 'zod';
import type { Briefing } from '#protocol/briefing.ts';
import type { BrokerCalls } from './broker-calls.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Caller {
  briefing: Briefing;
  /** Open objectives of the agent's own making (specification/runner.md#toolbox-rules). */
  originated: ReadonlySet<string>;
}

/** Messages framed as data, as one text. */
export interface Claimed {
  messageIds: readonly string[];
  text: string;
}

export interface ToolContext extends Caller {
  broker: BrokerCalls;
  /** Objectives may have changed, and the tool list with them. */
  touch(): void;
  /** The folder on this machine in which the agent works. */
  workFolder: WorkFolder;
  /** Waits for messages and claims them as one text; null if none came in that time. */
  nextMessages(timeoutMs: number, signal: AbortSignal): Promise<Claimed | 'coming' | null>;
  /** The newest messages that caused what the agent does now, for what it posts. */
  causes(): readonly string[];
  now: number;
  /** The agent has only the toolbox of the specification. */
  isSpecified: boolean;
  /** The agent no longer waits for the result. */
  signal: AbortSignal;
}

/** A text of at most this length, in UTF-16 units, is never shortened for the agent (bridge/shorten-result.ts). */
export const alwaysWhole = 58_000;

export interface ToolText {
  /** The first content block: for the 23 tools, exactly the specified text. */
  text: string;
  /** Further blocks that the specified text has no place for. */
  notes?: readonly string[];
  /** The broker holds the post. */
  isHeld?: true;
  images?: readonly { data: string; mimeType: string }[];
  /** All that the blocks say, for programs (ADR 0021). */
  structured?: Readonly<Record<string, unknown>>;
  /** Messages of others that the text carries to the model, each with where it ends in the text. */
  carried?: readonly { messageId: string; endsAt: number }[];
  /** Messages that nothing else brings to the model meanwhile: without this result, they wait again. */
  claimed?: readonly string[];
}

export interface Tool {
  name: string;
  /** Returns one or two sentences, composed from the briefing. */
  describe(caller: Caller): string;
  input: z.ZodObject;
  /** `as specified`: only without the arguments that are beside the specification. */
  readOnly: boolean | 'as specified';
  destructive: boolean;
  /** Calling it twice has the same effect as calling it once. */
  idempotent: boolean;
  /** Beside the 23 tools of the specification (ADR 0021). */
  isBeside?: true;
  /** Its input is a post, which may name the messages that it answers. */
  posts?: true;
  /** Its result may be as long as a result can be. */
  isLong?: true;
  /**
   * Offered to everybody by default; the broker decides independently
   * (specification/runner.md#toolbox-rules).
   */
  isOffered?(caller: Caller): boolean;
  run(input: Record<string, unknown>, context: ToolContext): Promise<string | ToolText>;
}

interface ToolDefinition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'run'> {
  input: Input;
  run(input: z.output<Input>, context: ToolContext): Promise<string | ToolText>;
}

/** Ties the input's type to `run`, which the toolbox calls only with input that the schema has parsed. */
export const defineTool = <Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool =>
  definition as unknown as Tool;

/** A result flagged `isError: true`; the message is the text that the model reads. */
export class ToolError extends Error {}
