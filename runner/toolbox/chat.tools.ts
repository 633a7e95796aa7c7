/** The team, and posts to all of it or to one member. */
import { z } from 'zod';
import { limits } from '#protocol/limits.ts';
import { type RosterEntry, rosterPages } from '#protocol/lists.ts';
import type { Teammate } from '#protocol/member.ts';
import { levels } from '#protocol/vocabulary.ts';
import { after, listedOf } from './long-lists.ts';
import { inLine, shortLine } from './plain-text.rules.ts';
import { post } from './post.ts';
import { type Caller, defineTool, type Tool } from './tool.ts';
import { beside, named, optional, required } from './tool-input.ts';

/** Paths of team files; the name says so. */
export const attachments = optional(z.array(z.string()).max(limits.message.attachments));

/** A message id; the text around the messages says so. */
export const inReplyTo = beside(z.string());

/** The inputs that all tools for posting share. */
export const postInput = {
  body: required(),
  title: optional(z.string().max(limits.message.title)),
  level: optional(z.enum(levels)),
  attachments,
  inReplyTo,
};

/**
 * Marks holders of members.manage, and of objectives.create without it
 * (specification/runner.md#toolbox-rules).
 */
function markOf({ permissions }: Teammate): string {
  if (permissions.includes('members.manage')) return ' [admin]';
  return permissions.includes('objectives.create') ? ' [operator]' : '';
}

function rosterLine({ teammate, presence }: RosterEntry): string {
  const connected = presence?.connected ?? 0;
  const state = connected > 0 ? `connected=${connected}` : 'offline';
  return `- ${teammate.name} (${inLine(teammate.role.title)})${markOf(teammate)} ${state}`;
}

/** Each costs tokens in every request of the model; `roster` lists all of them. */
const maxTeammates = 20;

function teammatesOf({ briefing: { name, teammates } }: Caller): string {
  const others = teammates.flatMap((one) => (one.name === name ? [] : [one.name]));
  if (others.length === 0) return '';
  const more = others.length > maxTeammates ? `, and ${others.length - maxTeammates} more` : '';
  return `: ${others.slice(0, maxTeammates).join(', ')}${more}`;
}

export const chatTools: readonly Tool[] = [
  defineTool({
    name: 'roster',
    describe: ({ briefing: { name, role, team } }) =>
      `List the members of the team "${shortLine(team.name)}", with roles and connections. You are ${name} (${shortLine(role.title)}).`,
    input: z.object({ after }),
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run({ after: last }, { broker, briefing, isSpecified }) {
      const { items, notes } = await listedOf(rosterPages(broker, { after: last }), {
        tool: 'roster',
        keyOf: ({ teammate }) => teammate.name,
        isSpecified,
      });
      return {
        text: [`team ${inLine(briefing.team.name)} roster:`, ...items.map(rosterLine)].join('\n'),
        notes,
      };
    },
  }),
  defineTool({
    name: 'broadcast',
    describe: () => 'Post to everybody (#general).',
    input: z.object(postInput),
    posts: true,
    readOnly: false,
    destructive: false,
    idempotent: false,
    run: (given, context) =>
      post(context, { kind: 'everyone' }, given, (counts) => `broadcast delivered: ${counts}`),
  }),
  defineTool({
    name: 'send',
    describe: (caller) => `Send a direct message to one member${teammatesOf(caller)}.`,
    input: z.object({ to: named(), ...postInput }),
    posts: true,
    readOnly: false,
    destructive: false,
    idempotent: false,
    run: ({ to, ...given }, context) =>
      post(context, { kind: 'member', name: to }, given, (counts) => `delivered to ${to}: ${counts}`),
  }),
];
