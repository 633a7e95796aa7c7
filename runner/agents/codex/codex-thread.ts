/**
 * One conversation with Codex: an idle one gets a turn, and a busy one is steered. Each message is echoed as an item
 * of the turn that takes it, whose end says whether the model answered
 * (specification/runner.md#bringing-messages-to-the-model).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { TurnFailure } from '../../delivery/model-refusal.rules.ts';
import type { AgentEvents, Bundle } from '../agent.ts';
import type { AppServer } from './app-server.ts';
import { TurnError, turnFailureOf } from './turn-failure.ts';

export interface CodexThread {
  /** Resolves when Codex accepted it. @throws AgentError if it did not. */
  bring(bundle: Bundle): Promise<void>;
  /** Ends the turn under way; false if there is none. @throws AgentError if Codex refuses. */
  interrupt(): Promise<boolean>;
  onNotification(method: string, params: unknown): void;
}

export interface CodexThreadDeps {
  server: AppServer;
  threadId: string;
  events: AgentEvents;
  log: (event: string, data?: object) => void;
}

const TurnAnswer = z.object({ turn: z.object({ id: z.string() }) });
const SteerAnswer = z.object({ turnId: z.string() });

const Item = z.union([
  z.object({ type: z.literal('userMessage'), clientId: z.string().nullish() }),
  z.object({ type: z.literal('agentMessage'), text: z.string() }),
  z.object({ type: z.literal('commandExecution'), id: z.string(), command: z.string() }),
  z.object({ type: z.literal('mcpToolCall'), server: z.string(), tool: z.string() }),
  z.object({ type: z.literal('fileChange') }),
]);
const ItemNote = z.object({ threadId: z.string(), item: Item });
const TurnNote = z.object({
  threadId: z.string(),
  turn: z.object({
    id: z.string(),
    status: z.string(),
    error: TurnError.nullish(),
  }),
});
const ErrorNote = z.object({ threadId: z.string(), willRetry: z.boolean(), error: TurnError });

const TerminalsAnswer = z.object({ data: z.array(z.object({ itemId: z.string(), processId: z.string() })) });

const maxEnded = 100;

interface Sent {
  bundle: Bundle;
  /** For a message that was steered and not refused: the turn that must take it in. */
  turnId: string | null;
}

export function createCodexThread({ server, threadId, events, log }: CodexThreadDeps): CodexThread {
  let activeTurn: string | null = null;
  /** The last text of the turn under way. */
  let lastText = '';
  /**
   * How the newest turns ended; null for a completed one. The answer to a request may be read after the end of its
   * turn.
   */
  const ended = new Map<string, TurnFailure | null>();
  /** By the id that Codex returns with the item; until then. */
  const sentById = new Map<string, Sent>();
  /** The messages that the present turn took. */
  let taken: string[] = [];
  /** The ids of the items of its commands. */
  let commands = new Set<string>();

  const inputOf = (id: string, { text }: Bundle) => ({
    threadId,
    clientUserMessageId: id,
    input: [{ type: 'text', text, text_elements: [] }],
  });

  async function beginTurn(id: string, bundle: Bundle): Promise<void> {
    sentById.set(id, { bundle, turnId: null });
    const { turn } = await server.ask('turn/start', inputOf(id, bundle), TurnAnswer);
    if (ended.has(turn.id)) return;
    activeTurn = turn.id;
    events.onTurn(true);
  }

  async function steerTurn(id: string, bundle: Bundle, turnId: string): Promise<void> {
    const sent: Sent = { bundle, turnId: null };
    sentById.set(id, sent);
    await server.ask('turn/steer', { ...inputOf(id, bundle), expectedTurnId: turnId }, SteerAnswer);
    sent.turnId = turnId;
    const failure = ended.get(turnId);
    if (failure === null) retryAfter(turnId);
    else if (failure !== undefined) events.onOutcome(dropSteered(turnId), failure);
  }

  async function hand(id: string, bundle: Bundle): Promise<void> {
    const turnId = activeTurn;
    try {
      if (turnId === null) await beginTurn(id, bundle);
      else
        await steerTurn(id, bundle, turnId).catch(async (error: unknown) => {
          // The turn ended in the meantime, or is of a kind that takes nothing in.
          log('steering was refused', { reason: String(error) });
          if (sentById.has(id)) await beginTurn(id, bundle);
        });
    } catch (error) {
      sentById.delete(id);
      throw error;
    }
  }

  /**
   * A message that was steered into a turn which ended without taking it in would never be seen, so it begins
   * a turn of its own.
   */
  function retryAfter(turnId: string): void {
    for (const [id, sent] of sentById) {
      if (sent.turnId !== turnId) continue;
      log('a turn ended without messages that were steered into it', { ids: sent.bundle.messageIds });
      void hand(id, sent.bundle).catch((error: unknown) =>
        log('the agent did not accept messages', { ids: sent.bundle.messageIds, reason: String(error) }),
      );
    }
  }

  function onTurnEnd(turn: z.infer<typeof TurnNote>['turn']): void {
    const { id, status, error } = turn;
    if (error) {
      log('the turn failed', { reason: error.message });
      events.onTranscript(`the turn failed: ${error.message}`);
    }
    const failure = turnFailureOf(status, error ?? null);
    ended.set(id, failure);
    for (const old of ended.keys()) if (ended.size > maxEnded) ended.delete(old);
    if (activeTurn === id) activeTurn = null;
    const ids = taken;
    taken = [];
    if (failure === null) events.onFinalText?.(lastText);
    else ids.push(...dropSteered(id));
    events.onTurn(false);
    events.onOutcome(ids, failure);
    if (failure === null) retryAfter(id);
  }

  /** Drops the messages steered into a turn that failed without taking them in, and returns their ids for its outcome. */
  function dropSteered(turnId: string): string[] {
    const ids: string[] = [];
    for (const [id, sent] of sentById) {
      if (sent.turnId !== turnId) continue;
      sentById.delete(id);
      ids.push(...sent.bundle.messageIds);
    }
    return ids;
  }

  function onItem(method: string, item: z.infer<typeof Item>): void {
    if (method === 'item/started') {
      if (item.type === 'userMessage') {
        const sent = typeof item.clientId !== 'string' ? undefined : sentById.get(item.clientId);
        if (sent === undefined || typeof item.clientId !== 'string') return;
        sentById.delete(item.clientId);
        taken.push(...sent.bundle.messageIds);
        events.onTaken?.(sent.bundle.messageIds);
      } else if (item.type === 'mcpToolCall') events.onTranscript(`→ ${item.server}.${item.tool}`);
      else if (item.type === 'commandExecution') {
        commands.add(item.id);
        events.onTranscript(`→ ${item.command.split('\n')[0]}`);
      } else if (item.type === 'fileChange') events.onTranscript('→ changes files');
    } else if (item.type === 'agentMessage') {
      lastText = item.text;
      for (const line of item.text.split('\n')) events.onTranscript(line);
    }
  }

  /** Codex lets a command that has just begun live on when its turn is interrupted. */
  async function endCommands(begun: ReadonlySet<string>): Promise<void> {
    const { data } = await server.ask('thread/backgroundTerminals/list', { threadId }, TerminalsAnswer);
    for (const { itemId, processId } of data)
      if (begun.has(itemId))
        await server.ask('thread/backgroundTerminals/terminate', { threadId, processId }, z.object({}));
  }

  return {
    async bring(bundle) {
      const isSteered = activeTurn !== null;
      await hand(randomUUID(), bundle);
      // A message that began a turn waits for its outcome.
      if (isSteered) events.onEvidence(bundle.messageIds, 'accepted');
    },
    async interrupt() {
      if (activeTurn === null) return false;
      const begun = commands;
      await server.ask('turn/interrupt', { threadId, turnId: activeTurn }, z.object({}));
      await endCommands(begun).catch((error: unknown) =>
        log('commands of the interrupted turn may go on', { reason: String(error) }),
      );
      return true;
    },
    onNotification(method, params) {
      if (method === 'item/started' || method === 'item/completed') {
        const note = ItemNote.safeParse(params);
        if (note.success && note.data.threadId === threadId) onItem(method, note.data.item);
      } else if (method === 'turn/started' || method === 'turn/completed') {
        const note = TurnNote.safeParse(params);
        // Threads of sub-agents have turns of their own.
        if (!note.success || note.data.threadId !== threadId) return;
        if (method === 'turn/completed') return onTurnEnd(note.data.turn);
        activeTurn = note.data.turn.id;
        commands = new Set();
        lastText = '';
        events.onTurn(true);
      } else if (method === 'error') {
        const note = ErrorNote.safeParse(params);
        if (!note.success || note.data.threadId !== threadId || !note.data.willRetry) return;
        const failure = turnFailureOf('failed', note.data.error);
        if (failure !== null) events.onSetback(failure);
      }
    },
  };
}
