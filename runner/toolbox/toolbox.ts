/**
 * The toolbox that the bridge offers to an agent: the 23 tools of the specification in a fixed order, then the
 * tools beside them (ADR 0021), gated by the latest briefing, with text results
 * (specification/runner.md#toolbox).
 */
import { z } from 'zod';
import { channelTools } from './channel.tools.ts';
import { chatTools } from './chat.tools.ts';
import { fileTools } from './file.tools.ts';
import { objectiveTools } from './objective.tools.ts';
import { inLine } from './plain-text.rules.ts';
import { readingTools } from './reading.tools.ts';
import { type Caller, type Tool, type ToolContext, ToolError, type ToolText } from './tool.ts';
import { readInput, specifiedInput } from './tool-input.ts';

const [recent, ...besideTools] = readingTools;

export const tools: readonly Tool[] = [
  ...chatTools,
  ...channelTools,
  ...(recent === undefined ? [] : [recent]),
  ...objectiveTools,
  ...fileTools,
  ...besideTools,
];

/** The tools that an agent gets: all of them, or exactly the 23 of the specification. */
export type ToolSet = 'all' | 'specified';

/** A tool as MCP lists it. A hint that has MCP's default value is left out. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: Readonly<Record<string, boolean>>;
  _meta: Record<string, unknown>;
}

export interface ToolResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  structuredContent?: Readonly<Record<string, unknown>>;
  isError?: true;
}

export interface Toolbox {
  list(): ListedTool[];
  call(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult>;
  /**
   * A result of `call` was sent to the agent, so the messages that it carries count as delivered; or it could
   * not be sent, so the messages that it claimed wait again.
   */
  answered(result: unknown, isSent: boolean): void;
}

export interface ToolboxDeps {
  caller(): Caller;
  context: Omit<ToolContext, keyof Caller | 'now' | 'signal' | 'isSpecified'>;
  set: ToolSet;
  now: () => number;
  /**
   * Messages that wait besides these, for agents that cannot be woken; null for the others
   * (specification/runner.md#toolbox-rules).
   */
  unread: ((besides: readonly string[]) => number) | null;
  /**
   * Whether results have `structuredContent` beside their text: not for an agent that shows it to its model
   * instead of the text (ADR 0021).
   */
  isStructured(): boolean;
  /** The agent called a tool; called before it runs. */
  onCall(name: string): void;
  /** The agent posted something with this input; `isHeld`: nobody has it. */
  onPosted(input: unknown, isHeld: boolean): void;
  /** A result carried all of these messages to the agent. */
  onCarried(messageIds: readonly string[]): void;
  /** The result that claimed these messages did not reach the agent. */
  onUnsent(messageIds: readonly string[]): void;
  /**
   * Shortens a text that is too long for the agent and adds a note on how to read the rest. `shown` is the
   * number of characters that are left.
   */
  shorten(text: string): Promise<{ text: string; shown: number }>;
}

/** Below 2 KB, at which agents cut a description off. */
const maxDescriptionCharacters = 1700;

/**
 * Claude Code moves a longer result to a file and shows the model its beginning, so this is above what
 * `shorten` leaves (bridge/shorten-result.ts).
 */
const maxResultCharacters = 70_000;

const isOffered = (tool: Tool, caller: Caller): boolean => tool.isOffered?.(caller) ?? true;

/** The runner checks them, and says which one is exceeded. */
const bounds = ['minimum', 'maximum', 'maxLength', 'maxItems'] as const;

/**
 * Leaves out the bounds, because each costs tokens in every request of the model, and Zod's `$schema` line, because some agents reject
 * keywords that they do not know.
 */
function schemaOf({ input }: Pick<Tool, 'input'>): ListedTool['inputSchema'] {
  const { $schema, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const bound of bounds) delete jsonSchema[bound];
    },
  });
  return { ...schema, type: 'object' };
}

function annotationsOf({ readOnly, destructive, idempotent }: Tool): ListedTool['annotations'] {
  const effects = {
    ...(!destructive && { destructiveHint: false }),
    ...(idempotent && { idempotentHint: true }),
  };
  return { ...(readOnly === true ? { readOnlyHint: true } : effects), openWorldHint: false };
}

interface OfferedTool extends Tool {
  schema: ListedTool['inputSchema'];
}

/** With their arguments and hints in this set. */
function toolsIn(set: ToolSet): OfferedTool[] {
  const chosen =
    set === 'all'
      ? tools
      : tools
          .filter(({ isBeside }) => !isBeside)
          .map((tool) => ({ ...tool, input: specifiedInput(tool.input), readOnly: tool.readOnly !== false }));
  return chosen.map((tool) => ({ ...tool, schema: schemaOf(tool) }));
}

const toolsBySet: Record<ToolSet, readonly OfferedTool[]> = {
  all: toolsIn('all'),
  specified: toolsIn('specified'),
};

function listed(tool: OfferedTool, caller: Caller): ListedTool {
  return {
    name: tool.name,
    description: tool.describe(caller).slice(0, maxDescriptionCharacters),
    inputSchema: tool.schema,
    annotations: annotationsOf(tool),
    _meta: {
      'anthropic/alwaysLoad': true,
      ...(tool.isLong && { 'anthropic/maxResultSizeChars': maxResultCharacters }),
    },
  };
}

interface Contents {
  carried: readonly string[];
  claimed: readonly string[];
}

export function createToolbox(deps: ToolboxDeps): Toolbox {
  const { caller, context, set, now, unread, isStructured, onCall, onPosted, onCarried, onUnsent, shorten } =
    deps;
  const available = toolsBySet[set];
  const isSpecified = set === 'specified';
  /** The tools in the latest list that the agent received. */
  let offered = new Set<string>();
  const contentsByResult = new WeakMap<object, Contents>();

  /**
   * A tool that was listed and that the latest briefing refuses is answered here; one that was not listed
   * goes to the broker (specification/runner.md#toolbox-rules).
   */
  function refuseLost(tool: Tool): void {
    if (offered.has(tool.name) && !isOffered(tool, caller()))
      throw new ToolError(`${tool.name}: director or manager authority is required`);
  }

  async function run(name: string, input: unknown, signal: AbortSignal): Promise<ToolText> {
    const tool = available.find((one) => one.name === name);
    if (tool === undefined) throw new ToolError(`there is no tool named ${inLine(name).slice(0, 100)}`);
    onCall(name);
    const read = readInput(name, tool.input, input);
    refuseLost(tool);
    const result = await tool.run(read, { ...context, ...caller(), now: now(), signal, isSpecified });
    const whole = typeof result === 'string' ? { text: result } : result;
    if (tool.posts) onPosted(input, whole.isHeld ?? false);
    return whole;
  }

  /** The hint is always the second block (specification/runner.md#toolbox-rules). */
  function resultOf(text: string, whole: ToolText, isWhole: boolean, waiting: number): ToolResult {
    const { notes = [], images = [], structured } = whole;
    const hint = waiting === 0 ? [] : [`${waiting} unread; call recent`];
    return {
      content: [
        ...[text, ...hint, ...(isSpecified ? [] : notes)].map((block) => ({
          type: 'text' as const,
          text: block,
        })),
        ...images.map((image) => ({ type: 'image' as const, ...image })),
      ],
      ...(structured &&
        isWhole &&
        isStructured() &&
        !isSpecified && {
          structuredContent: { ...structured, ...(waiting > 0 && { unread: waiting }) },
        }),
    };
  }

  return {
    list() {
      const now = caller();
      const mine = available.filter((tool) => isOffered(tool, now));
      offered = new Set(mine.map((tool) => tool.name));
      return mine.map((tool) => listed(tool, now));
    },
    async call(name, input, signal) {
      try {
        const whole = await run(name, input, signal);
        const { text, shown } = await shorten(whole.text).catch((error: unknown) => {
          onUnsent(whole.claimed ?? []);
          throw error;
        });
        const inside = (whole.carried ?? []).filter(({ endsAt }) => endsAt <= shown);
        const carriedIds = inside.map(({ messageId }) => messageId);
        const isWhole = shown === whole.text.length;
        const result = resultOf(text, whole, isWhole, unread?.(carriedIds) ?? 0);
        contentsByResult.set(result, { carried: carriedIds, claimed: whole.claimed ?? [] });
        return result;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        const { text } = await shorten(error.message);
        return { content: [{ type: 'text', text }], isError: true };
      }
    },
    answered(result, isSent) {
      const contents =
        typeof result === 'object' && result !== null ? contentsByResult.get(result) : undefined;
      if (contents === undefined) return;
      if (isSent) onCarried(contents.carried);
      // Messages that a shortened result cut off were not shown.
      const shown = new Set(isSent ? contents.carried : []);
      onUnsent(contents.claimed.filter((id) => !shown.has(id)));
    },
  };
}
