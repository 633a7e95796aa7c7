/** The bridge of a self-test: one harmless tool, whose answer can be held back, and the hooks. */
import { randomBytes } from 'node:crypto';
import type { HookMoment } from '../agents/agent-hooks.ts';
import { type BridgeServer, type Handover, startBridgeServer } from '../bridge/bridge-server.ts';

export interface TestBridge {
  readonly env: BridgeServer['env'];
  /** The task of the model: it calls the tool with a word of this test. */
  readonly task: string;
  /** The agent speaks MCP with the bridge. */
  readonly isInitialized: boolean;
  /** The agent has asked for the tools. */
  readonly isListed: boolean;
  /** When the model called the tool with the word, on the monotonic clock in ms; null until then. */
  readonly calledAt: number | null;
  /** Lets the tool answer; until then, the turn stays open. */
  release(): void;
  close(): Promise<void>;
}

const toolName = 'echo';
const tool = {
  name: toolName,
  description: 'Returns the word. It is for the connection test and changes nothing.',
  inputSchema: {
    type: 'object',
    properties: { word: { type: 'string', description: 'the word of the message' } },
    required: ['word'],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  _meta: { 'anthropic/alwaysLoad': true },
};

const textResult = (text: string, isError = false) => ({ content: [{ type: 'text', text }], isError });

export async function startTestBridge({
  handOver,
  onChange,
}: {
  handOver(moment: HookMoment): Handover | null;
  onChange(): void;
}): Promise<TestBridge> {
  const word = `word-${randomBytes(8).toString('hex')}`;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isInitialized = false;
  let isListed = false;
  let calledAt: number | null = null;
  const bridge = await startBridgeServer({
    instructions: () => 'This is a connection test.',
    list: () => [tool],
    onListed() {
      isListed = true;
      onChange();
    },
    async call(name, input, signal) {
      if (name !== toolName || !JSON.stringify(input).includes(word))
        return textResult(`Call "${toolName}" with the word of the message.`, true);
      calledAt ??= performance.now();
      onChange();
      const ended = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([released, ended]);
      return textResult(word);
    },
    handOver: async (moment) => handOver(moment),
    onInitialized() {
      isInitialized = true;
      onChange();
    },
    onGone: () => undefined,
  });
  return {
    env: bridge.env,
    task: `Call the tool "${toolName}" of the server "svc" once, with the word "${word}". Then answer with only: ok`,
    get isInitialized() {
      return isInitialized;
    },
    get isListed() {
      return isListed;
    },
    get calledAt() {
      return calledAt;
    },
    release,
    async close() {
      release();
      await bridge.close();
    },
  };
}
