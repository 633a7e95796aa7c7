/**
 * The toolbox that the bridge offers to an agent: one table of 23 tools in a fixed order, gated by the latest
 * briefing, with text results (specification/runner.md#toolbox).
 */
import { z } from 'zod';
import { channelTools } from './channel.tools.ts';
import { chatTools } from './chat.tools.ts';
import { fileTools } from './file.tools.ts';
import { objectiveTools } from './objective.tools.ts';
import { inLine } from './plain-text.ts';
import { type Caller, type Tool, type ToolContext, ToolError, type ToolText } from './tool.ts';
import { readInput } from './tool-input.ts';

export const tools: readonly Tool[] = [
  ...chatTools.slice(0, 3),
  ...channelTools,
  ...chatTools.slice(3),
  ...objectiveTools,
  ...fileTools,
];

/** A tool as MCP lists it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  _meta: Record<string, unknown>;
}

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: true;
}

export interface Toolbox {
  list(): ListedTool[];
  call(name: string, input: unknown): Promise<ToolResult>;
  /** A result of `call` was sent to the agent: what it carries counts from now on. */
  sent(result: unknown): void;
}

export interface ToolboxDeps {
  caller(): Caller;
  context: Omit<ToolContext, keyof Caller | 'now'>;
  now: () => number;
  /**
   * Messages that wait besides these, for agents that cannot be woken; null for the others
   * (specification/runner.md#toolbox-rules).
   */
  unread: ((besides: readonly string[]) => number) | null;
  /** The agent called a tool with this input; called before it runs. */
  onCall(name: string, input: unknown): void;
  /** A result carried all of these messages to the agent. */
  onCarried(messageIds: readonly string[]): void;
  /**
   * Shortens what is too long for the agent, with a note on how to read the rest. `shown`: how many
   * characters of the whole are left.
   */
  shorten(text: string): Promise<{ text: string; shown: number }>;
}

/** Below 2 KB: names of roles and teams may have 256 bytes each where they count as 128 characters. */
const maxDescriptionCharacters = 1700;

const isOffered = (tool: Tool, caller: Caller): boolean => tool.isOffered?.(caller) ?? true;

/** Zod's `$schema` line helps no agent, and some refuse what they do not know. */
function schemaOf(tool: Tool): ListedTool['inputSchema'] {
  const { $schema, ...schema } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  return { ...schema, type: 'object' };
}

const schemaByName = new Map(tools.map((tool) => [tool.name, schemaOf(tool)]));

function listed(tool: Tool, caller: Caller): ListedTool {
  const { name, role, team } = caller.briefing;
  const who = `You are ${name} (${inLine(role.title)}) on the team "${inLine(team.name)}".`;
  const what = tool.describe(caller).slice(0, maxDescriptionCharacters - who.length - 1);
  return {
    name: tool.name,
    title: tool.title,
    description: `${what} ${who}`,
    inputSchema: schemaByName.get(tool.name) ?? { type: 'object' },
    annotations: {
      readOnlyHint: tool.readOnly,
      destructiveHint: tool.destructive,
      idempotentHint: tool.idempotent,
      openWorldHint: false,
    },
    _meta: { 'anthropic/alwaysLoad': true },
  };
}

export function createToolbox(deps: ToolboxDeps): Toolbox {
  const { caller, context, now, unread, onCall, onCarried, shorten } = deps;
  /** The tools that the agent was last told about. */
  let offered = new Set<string>();
  const carriedByResult = new WeakMap<object, readonly string[]>();

  /**
   * A tool that was listed and that the latest briefing refuses is answered here; one that was not listed
   * goes to the broker (specification/runner.md#toolbox-rules).
   */
  function refuseLost(tool: Tool): void {
    if (offered.has(tool.name) && !isOffered(tool, caller()))
      throw new ToolError(`${tool.name}: director or manager authority is required`);
  }

  async function run(name: string, input: unknown): Promise<ToolText> {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new ToolError(`there is no tool named ${inLine(name).slice(0, 100)}`);
    onCall(name, input);
    const read = readInput(name, tool.input, input);
    refuseLost(tool);
    const result = await tool.run(read, { ...context, ...caller(), now: now() });
    return typeof result === 'string' ? { text: result } : result;
  }

  const hint = (carriedIds: readonly string[]): { type: 'text'; text: string }[] => {
    const count = unread?.(carriedIds) ?? 0;
    return count === 0 ? [] : [{ type: 'text', text: `${count} unread; call recent` }];
  };

  return {
    list() {
      const now = caller();
      const mine = tools.filter((tool) => isOffered(tool, now));
      offered = new Set(mine.map((tool) => tool.name));
      return mine.map((tool) => listed(tool, now));
    },
    async call(name, input) {
      try {
        const whole = await run(name, input);
        const { text, shown } = await shorten(whole.text);
        const inside = (whole.carried ?? []).filter(({ endsAt }) => endsAt <= shown);
        const carriedIds = inside.map(({ messageId }) => messageId);
        const result: ToolResult = { content: [{ type: 'text', text }, ...hint(carriedIds)] };
        carriedByResult.set(result, carriedIds);
        return result;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        const { text } = await shorten(error.message);
        return { content: [{ type: 'text', text }], isError: true };
      }
    },
    sent(result) {
      const carriedIds = typeof result === 'object' && result !== null ? carriedByResult.get(result) : null;
      if (carriedIds) onCarried(carriedIds);
    },
  };
}
