/** One row of the toolbox (specification/runner.md#toolbox). */
import type { z } from 'zod';
import type { Briefing } from '#protocol/briefing.ts';
import type { BrokerCalls } from './broker-calls.ts';

export interface Caller {
  briefing: Briefing;
  /** Open objectives of the agent's own making (specification/runner.md#toolbox-rules). */
  originated: ReadonlySet<string>;
}

export interface ToolContext extends Caller {
  broker: BrokerCalls;
  /** Objectives may have changed, and the tool list with them. */
  touch(): void;
  now: number;
}

export interface ToolText {
  text: string;
  /** Messages of others that the text carries to the model, each with where it ends in the text. */
  carried?: readonly { messageId: string; endsAt: number }[];
}

export interface Tool {
  name: string;
  title: string;
  /** Returns one or two sentences; the toolbox appends the caller's identity. */
  describe(caller: Caller): string;
  input: z.ZodObject;
  readOnly: boolean;
  destructive: boolean;
  /** Calling it twice has the same effect as calling it once. */
  idempotent: boolean;
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
