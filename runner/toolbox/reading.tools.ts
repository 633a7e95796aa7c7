/** Reading what others wrote: past messages, new ones, search, and what is unread. */
import { z } from 'zod';
import { limits } from '#protocol/limits.ts';
import { channelPages } from '#protocol/lists.ts';
import type { Message } from '#protocol/message.ts';
import { allOf } from '#protocol/pages.ts';
import { channelScope, formatScope, scopeOfThread } from '#protocol/scope.ts';
import type { SearchResult } from '#protocol/search.ts';
import { searchFurther } from '#protocol/search-further.ts';
import type { BrokerCalls } from './broker-calls.ts';
import { messageHead } from './message-head.rules.ts';
import { indented, inLine, visible } from './plain-text.rules.ts';
import { alwaysWhole, defineTool, type Tool, ToolError, type ToolText } from './tool.ts';
import { beside, named, optional, required } from './tool-input.ts';
import { unreadText } from './unread-text.ts';

const maxWaitSeconds = 60;

function messageLine(message: Message): string {
  const { to, title: heading, body } = message;
  const recipient = to === null ? '' : ` → ${to}`;
  const head = heading === null || heading === '' ? '' : ` [${inLine(heading)}]`;
  return `${messageHead(message)}${recipient}${head}: ${indented(body)}`;
}

/** A message as programs get it, with the same characters as in the text. */
const structuredMessage = ({ id, ts, from, to, title, body, data, inReplyTo, auto }: Message) => ({
  id,
  ts,
  from,
  to,
  title: title === null ? null : inLine(title),
  body: visible(body),
  inReplyTo,
  auto,
  ...(scopeOfThread(data.thread) !== undefined && { thread: data.thread }),
});

/** The ids are a block of their own, because the lines have a fixed form (specification/runner.md#toolbox). */
function idNotes(messages: readonly Message[], isFull: boolean): string[] {
  const last = messages.at(-1);
  if (last === undefined) return [];
  const older = isFull ? [`older ones: call recent again with before=${last.id}`] : [];
  return [[`ids, in this order: ${messages.map(({ id }) => id).join(' ')}`, ...older].join('\n')];
}

/** The time that a message id begins with (specification/messages.md#message). */
function timeOf(tool: string, id: string): number {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) || Number.isNaN(ms))
    throw new ToolError(`${tool}: before: is not a message id`);
  return ms;
}

async function channelIdOf(broker: BrokerCalls, slug: string | undefined): Promise<string | undefined> {
  if (slug === undefined) return undefined;
  return (await broker.call('channel', { params: { slug } })).channel.id;
}

function placeOf(other: string | undefined, channel: string | undefined, objective: string | undefined) {
  if (objective !== undefined) return `the thread of ${objective}`;
  return other === undefined ? `#${channel ?? 'general'}` : `the conversation with ${other}`;
}

const resultLine = ({ kind, id, scope, ts, from, snippet }: SearchResult): string =>
  `- ${new Date(ts).toISOString()} ${from} in ${scope}, ${kind} ${id}: ${inLine(snippet)}`;

/** Marks a scope as read as far as the model was shown it, and counts again. */
async function markAndCount(
  broker: BrokerCalls,
  read: { scope: string; upTo: string } | null,
): Promise<ToolText> {
  if (read !== null) await broker.call('reportRead', { body: read });
  const unread = await broker.call('unread', {});
  const channels = await allOf(channelPages(broker));
  const slugByScope = new Map<string, string>(
    channels.map(({ id, slug }) => [formatScope(channelScope(id)), slug]),
  );
  return unreadText(unread, slugByScope);
}

export const readingTools: readonly Tool[] = [
  defineTool({
    name: 'recent',
    describe: () => 'Read past messages, newest first (default: #general).',
    input: z.object({
      with: optional(named(), 'a member'),
      channel: optional(named(), 'slug'),
      objective: beside(z.string()),
      before: beside(z.string(), 'message id'),
      limit: optional(z.int().min(1)),
    }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    isLong: true,
    async run({ with: other, channel, objective, before, limit }, { broker, briefing }) {
      if (other !== undefined && channel !== undefined)
        throw new ToolError('recent: pass with or channel, not both');
      if (objective !== undefined && (other ?? channel) !== undefined)
        throw new ToolError('recent: pass at most one of with, channel, and objective');
      const count = Math.min(limit ?? limits.history.pageDefault, limits.history.pageMax);
      const older =
        before === undefined ? {} : { before: String(timeOf('recent', before)), beforeId: before };
      const { messages } = await broker.call('history', {
        query: {
          with: other,
          channel: await channelIdOf(broker, channel),
          objective,
          limit: String(count),
          ...older,
        },
      });
      let text = `${messages.length} recent messages of ${placeOf(other, channel, objective)}, newest first:`;
      const carried: { messageId: string; endsAt: number }[] = [];
      for (const [at, message] of messages.entries()) {
        text += `\n${messageLine(message)}`;
        // However long the first one is, the model gets its beginning, and the place of the rest.
        const endsAt = at === 0 ? Math.min(text.length, alwaysWhole) : text.length;
        if (message.from !== briefing.name) carried.push({ messageId: message.id, endsAt });
      }
      const structured = { messages: messages.map(structuredMessage) };
      return { text, notes: idNotes(messages, messages.length === count), structured, carried };
    },
  }),
  defineTool({
    name: 'wait_for_messages',
    describe: () => 'Wait for messages, and read them.',
    input: z.object({
      seconds: optional(z.int().min(1).max(maxWaitSeconds), `default: ${maxWaitSeconds}`),
    }),
    readOnly: true,
    destructive: false,
    idempotent: false,
    isBeside: true,
    isLong: true,
    async run({ seconds = maxWaitSeconds }, { nextMessages, signal }) {
      const bundle = await nextMessages(seconds * 1000, signal);
      if (bundle === null) return `no message came within ${seconds} s`;
      if (bundle === 'coming') return 'a message has come; you get it after this result';
      const { text, messageIds } = bundle;
      // Only one message that is too long by itself comes in a longer text, which shows its beginning.
      const endsAt = messageIds.length === 1 ? Math.min(text.length, alwaysWhole) : text.length;
      const carried = messageIds.map((messageId) => ({ messageId, endsAt }));
      return { text, structured: { text }, carried, claimed: messageIds };
    },
  }),
  defineTool({
    name: 'search',
    describe: () => 'Search messages and objectives, newest first.',
    input: z.object({
      query: required(),
      in: optional(z.string(), 'as in unread'),
      from: optional(named()),
      before: optional(z.string(), 'next of a result'),
      limit: optional(z.int().min(1)),
    }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    isBeside: true,
    async run({ query, in: place, from, before, limit }, { broker }) {
      const count = limit === undefined ? undefined : String(Math.min(limit, limits.search.pageMax));
      const { results, next, indexing } = await searchFurther(
        (page) => broker.call('search', { query: { q: query, in: place, from, before: page, limit: count } }),
        before,
      );
      const more = [
        ...(next === null ? [] : [`more: call search again with before=${next}`]),
        ...(indexing ? ['The broker is still indexing older messages, so results may be missing.'] : []),
      ];
      const shown = results.map(({ kind, id, scope: at, ts, from: by, snippet }) => ({
        ...{ kind, id, scope: at, ts, from: by },
        snippet: inLine(snippet),
      }));
      return {
        text: [`${results.length} results, newest first:`, ...results.map(resultLine), ...more].join('\n'),
        structured: { results: shown, next },
      };
    },
  }),
  defineTool({
    name: 'unread',
    describe: () => 'Count unread messages per scope; scope with upTo marks as read.',
    input: z.object({
      scope: optional(z.string()),
      upTo: optional(z.string(), 'message id'),
    }),
    readOnly: false,
    destructive: false,
    idempotent: true,
    isBeside: true,
    async run({ scope, upTo }, { broker }) {
      if ((scope === undefined) !== (upTo === undefined))
        throw new ToolError(`unread: ${scope === undefined ? 'scope' : 'upTo'} is required`);
      return markAndCount(broker, scope === undefined || upTo === undefined ? null : { scope, upTo });
    },
  }),
];
