/**
 * A member's toolbox on a real broker, for tests. It reads the briefing again before each call, unless it is
 * frozen.
 */
import { createHttpClient } from '#client/http-client.ts';
import type { TestBroker } from '../../../broker/testing/test-broker.ts';
import { createBrokerCalls } from '../../../runner/toolbox/broker-calls.ts';
import type { Caller, Claimed } from '../../../runner/toolbox/tool.ts';
import { createToolbox, type Toolbox, type ToolSet } from '../../../runner/toolbox/toolbox.ts';
import { createWorkFolder } from '../../../runner/toolbox/work-folder.ts';

export interface TestToolbox {
  toolbox: Toolbox;
  /** Reads the briefing and sets `originated` as the runner would. */
  refresh(): Promise<void>;
  /** Calls a tool. Returns the text of its first block, prefixed with `error: ` for a flagged one. */
  use(name: string, input?: unknown): Promise<string>;
  names(): string[];
  /** Path and query of each request to the broker. */
  addresses: string[];
  carried: string[];
  unsent: string[];
  /** The inputs of posts that succeeded. */
  posted: unknown[];
  /** Whether the broker held each of them. */
  held: boolean[];
  /** Sets the messages that `wait_for_messages` gets. */
  setNext(claimed: Claimed | null): void;
  touches: () => number;
  setUnread(count: number | null): void;
  /** How many characters of a result are shown; null for all. */
  setShown(characters: number | null): void;
}

export async function openTestToolbox(
  team: TestBroker,
  name: string,
  set: ToolSet = 'all',
  folder = '/nonexistent',
): Promise<TestToolbox> {
  const http = createHttpClient({ url: team.url, token: team.token(name) });
  const addresses: string[] = [];
  const broker = createBrokerCalls({
    ...http,
    send(request, ...rest) {
      addresses.push(request.url);
      return http.send(request, ...rest);
    },
    open(request, ...rest) {
      addresses.push(request.url);
      return http.open(request, ...rest);
    },
  });
  const carried: string[] = [];
  const unsent: string[] = [];
  const posted: unknown[] = [];
  const held: boolean[] = [];
  let next: Claimed | null = null;
  let touches = 0;
  let unread: number | null = null;
  let shown: number | null = null;
  let caller: Caller;
  const refresh = async () => {
    const { objectives } = await broker.call('objectives', { query: {} });
    const mine = objectives.filter(
      ({ originator, status }) => originator === name && (status === 'active' || status === 'blocked'),
    );
    caller = { briefing: await broker.call('briefing', {}), originated: new Set(mine.map(({ id }) => id)) };
  };
  await refresh();
  const toolbox = createToolbox({
    caller: () => caller,
    context: {
      broker,
      workFolder: createWorkFolder(folder, true),
      touch: () => void touches++,
      nextMessages: async () => next,
      causes: () => [],
    },
    set,
    isStructured: () => true,
    now: () => Date.now(),
    unread: () => unread ?? 0,
    onCall: () => undefined,
    onPosted(input, isHeld) {
      posted.push(input);
      held.push(isHeld);
    },
    onCarried: (ids) => carried.push(...ids),
    onUnsent: (ids) => unsent.push(...ids),
    shorten: async (text) => ({ text, shown: shown ?? text.length }),
  });
  return {
    toolbox,
    addresses,
    refresh,
    async use(tool, input) {
      const result = await toolbox.call(tool, input, new AbortController().signal);
      toolbox.answered(result, true);
      const { content, isError } = result;
      const [first] = content;
      return `${isError ? 'error: ' : ''}${first?.type === 'text' ? first.text : undefined}`;
    },
    names: () => toolbox.list().map((tool) => tool.name),
    carried,
    unsent,
    posted,
    held,
    setNext: (claimed) => {
      next = claimed;
    },
    touches: () => touches,
    setUnread: (count) => {
      unread = count;
    },
    setShown: (characters) => {
      shown = characters;
    },
  };
}

/** Opens the toolboxes of ada, ben, and cy, in this order. */
export const openTeamToolboxes = (team: TestBroker): Promise<[TestToolbox, TestToolbox, TestToolbox]> =>
  Promise.all([openTestToolbox(team, 'ada'), openTestToolbox(team, 'ben'), openTestToolbox(team, 'cy')]);
