/**
 * The toolbox that the bridge offers to an agent (specification "Agent toolbox (runner)"): one table of 23 tools in a fixed order, gated by
 * the latest briefing, with the results as text.
 */
import { z } from 'zod';
import { channelTools } from './channel.tools.ts';
import { chatTools } from './chat.tools.ts';
import { fileTools } from './file.tools.ts';
import { objectiveTools } from './objective.tools.ts';
import { inLine } from './plain-text.ts';
import { type Caller, type Tool, type ToolContext, ToolError } from './tool.ts';
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
}

export interface ToolboxDeps {
  caller(): Caller;
  context: Omit<ToolContext, keyof Caller | 'now'>;
  now: () => number;
  /** Messages that wait, for agents that have no way to be woken (D17); null for the others. */
  unread: (() => number) | null;
  /** The agent called a tool with this input, before it runs. */
  onCall(name: string, input: unknown): void;
  /** A result carries these messages to the model. */
  onCarried(messageIds: readonly string[]): void;
  /** Cuts what is too long for the agent, saying how to read the rest. */
  shorten(text: string): Promise<string>;
}

const descriptionCharacters = 1900;

const isOffered = (tool: Tool, caller: Caller): boolean => tool.isOffered?.(caller) ?? true;

/** Zod's `$schema` line helps no agent, and some refuse what they do not know. */
function schemaOf(tool: Tool): ListedTool['inputSchema'] {
  const { $schema, ...schema } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  return { ...schema, type: 'object' };
}

const schemaByName = new Map(tools.map((tool) => [tool.name, schemaOf(tool)]));

function listed(tool: Tool, caller: Caller): ListedTool {
  const { name, role, team } = caller.briefing;
  const who = `You are ${name} (${inLine(role.title)}) of the team "${inLine(team.name)}".`;
  return {
    name: tool.name,
    title: tool.title,
    description: `${tool.describe(caller)} ${who}`.slice(0, descriptionCharacters),
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
  /** What the agent was last told it has. */
  let offered = new Set<string>();

  /** A tool that was listed and that the latest briefing refuses is answered here; one that was not goes to the broker (D17). */
  function refuseLost(tool: Tool): void {
    if (offered.has(tool.name) && !isOffered(tool, caller()))
      throw new ToolError(`${tool.name}: director or manager authority is required`);
  }

  async function run(name: string, input: unknown): Promise<string> {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new ToolError(`there is no tool named ${inLine(name).slice(0, 100)}`);
    onCall(name, input);
    const read = readInput(name, tool.input, input);
    refuseLost(tool);
    const result = await tool.run(read, { ...context, ...caller(), now: now() });
    if (typeof result === 'string') return result;
    if (result.carriedIds !== undefined) onCarried(result.carriedIds);
    return result.text;
  }

  const hint = (): { type: 'text'; text: string }[] => {
    const count = unread?.() ?? 0;
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
        const text = await shorten(await run(name, input));
        return { content: [{ type: 'text', text }, ...hint()] };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    },
  };
}
