/**
 * The conversation that an agent continues after a restart, per broker, member, kind of agent, and working folder,
 * and whether its last turn was completed (specification/runner.md#a-restart). Losing it costs the agent's memory,
 * never messages.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import type { KeptConversation } from '../agents/agent.ts';
import type { TurnReply } from './turn-reply.rules.ts';

const Asked = z.object({
  place: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('member'), name: z.string() }),
    z.object({ kind: z.literal('objective'), objectiveId: z.string() }),
  ]),
  inReplyTo: z.string(),
});
const Kept = z.object({
  id: z.string().max(200).nullable(),
  isInTurn: z.boolean(),
  asked: z.array(Asked).default([]),
  at: z.number(),
});
const Sessions = z.object({ schema: z.literal(1), byPlace: z.record(z.string(), Kept) });
type Kept = z.infer<typeof Kept>;

export interface AgentSession {
  /** For the agent's adapter. */
  readonly conversation: KeptConversation;
  /** The last run ended in the middle of a turn of this conversation. */
  readonly wasCutOff: boolean;
  /** The recipients that waited for the final text of that turn. */
  readonly asked: readonly TurnReply[];
  setAsked(asked: readonly TurnReply[]): void;
  /** A turn begins, or its model completed it. */
  setTurn(isActive: boolean): void;
  /** The run ends: a turn that it cuts off counts as such. */
  freeze(): void;
  /** Resolves when everything is on disk. */
  flush(): Promise<void>;
}

export interface AgentSessionOptions {
  /** The person's own folder for runs. */
  runsDir: string;
  /** The broker's address. */
  url: string;
  member: string;
  kind: string;
  cwd: string;
  /** Begins a new conversation. */
  isNew: boolean;
  now: () => number;
  log: (event: string, data?: object) => void;
}

/** The most working folders of one member whose conversations are kept. */
const maxPlaces = 50;
const hashOf = (...words: string[]): string =>
  createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 24);

async function read(path: string): Promise<Record<string, Kept>> {
  const sessions = Sessions.safeParse(
    await readFile(path, 'utf8')
      .then(JSON.parse)
      .catch(() => null),
  );
  return sessions.success ? sessions.data.byPlace : {};
}

/** An unreadable file counts as none. */
export async function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
  const { runsDir, url, member, kind, cwd, isNew, now, log } = options;
  const own = hashOf(url, member);
  const path = join(runsDir, `${own}.sessions.json`);
  const place = hashOf(kind, cwd);
  const before = (await read(path))[place];
  let present: Omit<Kept, 'at'> = {
    id: before?.id ?? null,
    isInTurn: before?.isInTurn ?? false,
    asked: before?.asked ?? [],
  };
  let isFrozen = false;
  const inTurn = createSerialQueue();

  async function write(): Promise<void> {
    const all = { ...(await read(path)), [place]: { ...present, at: now() } };
    const newest = Object.entries(all)
      .sort(([, one], [, other]) => other.at - one.at)
      .slice(0, maxPlaces);
    const sessions = { schema: 1, byPlace: Object.fromEntries(newest) };
    await replacePrivateFile(path, JSON.stringify(sessions));
  }

  function change(next: Partial<typeof present>): void {
    const changed = { ...present, ...next };
    if (isFrozen || isDeepStrictEqual(changed, present)) return;
    present = changed;
    void inTurn(write).catch((error: unknown) =>
      log('the conversation was not noted', { reason: String(error) }),
    );
  }

  if (isNew) change({ id: null, isInTurn: false, asked: [] });
  return {
    conversation: {
      previous: present.id,
      folder: join(runsDir, `kept-${own}`),
      keep: (id) => change({ id }),
    },
    wasCutOff: present.isInTurn,
    asked: present.asked,
    setAsked: (asked) => change({ asked: [...asked] }),
    setTurn: (isActive) => change({ isInTurn: isActive }),
    freeze() {
      isFrozen = true;
    },
    flush: () => inTurn(() => undefined),
  };
}
