/** Talking to the team: roster, broadcast, send, and recent. */
import { z } from 'zod';
import { limits } from '#protocol/limits.ts';
import type { Teammate } from '#protocol/member.ts';
import { levels, type Message } from '#protocol/message.ts';
import type { Presence } from '#protocol/presence.ts';
import { messageHead } from './message-head.rules.ts';
import { indented, inLine } from './plain-text.ts';
import { defineTool, type Tool, ToolError } from './tool.ts';
import { optional, required } from './tool-input.ts';

const title = optional(z.string().max(limits.message.title), 'a short heading');
const level = optional(z.enum(levels), 'how urgent the message is (default: info)');
const attachments = optional(
  z.array(z.string()).max(limits.message.attachments),
  'absolute paths of files on the team filesystem; the recipients get read access',
);

/** The inputs that all tools for posting share. */
export const postInput = { body: required('the text; Markdown is allowed'), title, level, attachments };

/**
 * Marks holders of members.manage, and of objectives.create without it
 * (specification/runner.md#toolbox-rules).
 */
function markOf({ permissions }: Teammate): string {
  if (permissions.includes('members.manage')) return ' [admin]';
  return permissions.includes('objectives.create') ? ' [operator]' : '';
}

function rosterLine(teammate: Teammate, presence: Presence | undefined): string {
  const connected = presence?.connected ?? 0;
  const state = connected > 0 ? `connected=${connected}` : 'offline';
  return `- ${teammate.name} (${inLine(teammate.role.title)})${markOf(teammate)} ${state}`;
}

const sent = ({ delivery, message }: { delivery: { live: number; targets: number }; message: Message }) =>
  `live=${delivery.live} targets=${delivery.targets} msg=${message.id}`;

export const sentText = sent;

function messageLine(message: Message): string {
  const { to, title: heading, body } = message;
  const recipient = to === null ? '' : ` → ${to}`;
  const head = heading === null || heading === '' ? '' : ` [${inLine(heading)}]`;
  return `${messageHead(message)}${recipient}${head}: ${indented(body)}`;
}

export const chatTools: readonly Tool[] = [
  defineTool({
    name: 'roster',
    title: 'Roster',
    describe: ({ briefing }) =>
      `List the members of the team "${briefing.team.name}", their roles, and who is connected now.`,
    input: z.object({}),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run(_, { broker, briefing }) {
      const { teammates, connected } = await broker.call('roster', {});
      const presenceByName = new Map(connected.map((presence) => [presence.name as string, presence]));
      return [
        `team ${inLine(briefing.team.name)} roster:`,
        ...teammates.map((teammate) => rosterLine(teammate, presenceByName.get(teammate.name))),
      ].join('\n');
    },
  }),
  defineTool({
    name: 'broadcast',
    title: 'Broadcast',
    describe: () =>
      'Send a message to everybody in #general. Use send for one member, and channels_post for a topic.',
    input: z.object(postInput),
    readOnly: false,
    destructive: false,
    idempotent: false,
    async run({ body, title: heading, level: urgency, attachments: paths }, { broker }) {
      const attached = await broker.resolveAttachments(paths);
      const result = await broker.call('push', {
        body: { to: null, body, title: heading, level: urgency, attachments: attached },
      });
      return `broadcast delivered: ${sent(result)}`;
    },
  }),
  defineTool({
    name: 'send',
    title: 'Send',
    describe: ({ briefing }) =>
      `Send a direct message to one member. Members: ${briefing.teammates
        .filter(({ name }) => name !== briefing.name)
        .slice(0, 40)
        .map(({ name }) => name)
        .join(', ')}.`,
    input: z.object({ to: required('the name of the member'), ...postInput }),
    readOnly: false,
    destructive: false,
    idempotent: false,
    async run({ to, body, title: heading, level: urgency, attachments: paths }, { broker }) {
      const attached = await broker.resolveAttachments(paths);
      const result = await broker.call('push', {
        body: { to, body, title: heading, level: urgency, attachments: attached },
      });
      return `delivered to ${to}: ${sent(result)}`;
    },
  }),
  defineTool({
    name: 'recent',
    title: 'Recent messages',
    describe: () =>
      'Read past messages, newest first, of the conversation with a member, of a channel, or of #general.',
    input: z.object({
      with: optional(z.string(), 'the name of a member'),
      channel: optional(z.string(), 'the slug of a channel'),
      limit: optional(
        z.int().min(1),
        `number of messages, at most ${limits.history.pageMax} (default: ${limits.history.pageDefault})`,
      ),
    }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ with: other, channel, limit }, { broker, briefing }) {
      if (other !== undefined && channel !== undefined)
        throw new ToolError('recent: pass with or channel, not both');
      const id =
        channel === undefined
          ? undefined
          : (await broker.call('channel', { params: { slug: channel } })).channel.id;
      const count = Math.min(limit ?? limits.history.pageDefault, limits.history.pageMax);
      const { messages } = await broker.call('history', {
        query: { with: other, channel: id, limit: String(count) },
      });
      const where = other === undefined ? `#${channel ?? 'general'}` : `the conversation with ${other}`;
      const header = `${messages.length} recent messages of ${where}, newest first:`;
      let text = header;
      const carried: { messageId: string; endsAt: number }[] = [];
      for (const message of messages) {
        text += `\n${messageLine(message)}`;
        if (message.from !== briefing.name) carried.push({ messageId: message.id, endsAt: text.length });
      }
      return { text, carried };
    },
  }),
];
