/** The briefing of an agent about itself and its team, for its system prompt. Pure. */
import type { Briefing } from '#protocol/briefing.ts';
import type { Arrival } from '../agents/arrival.rules.ts';

const arrivalText: Record<Arrival, string> = {
  brought: 'Messages from teammates arrive automatically, as text with svc-message blocks.',
  'by hooks':
    'Messages from teammates arrive automatically, as text with svc-message blocks: with a prompt, between your tool calls, or at the end of a turn. If a tool result reports unread messages, call the tool "recent".',
  'by tools':
    'Messages from teammates wait for you. Call the tool "recent" when you start, and whenever a tool result reports unread messages.',
};

export interface Reach {
  /** How messages come to the model. */
  arrival: Arrival;
  /** Whether the final text of a turn may be its reply. */
  offersReply: boolean;
}

export function instructionsOf(briefing: Briefing, { arrival, offersReply }: Reach): string {
  const { name, role, team, instructions, openObjectives } = briefing;
  const others = briefing.teammates.filter((one) => one.name !== name);
  const printed = offersReply
    ? 'Text that you only print does not reach the team, except that the final text of a turn in which you sent nothing goes to those who asked you directly.'
    : 'Text that you only print does not reach the team.';
  const section = (title: string, text: string): string[] =>
    text.trim() === '' ? [] : [`## ${title}`, text];
  return [
    `# You are ${name}, a member of the team "${team.name}"`,
    `Your role: ${role.title}${role.description === '' ? '' : ` — ${role.description}`}`,
    `You work with people and other agents through the tools of the MCP server "svc". ${arrivalText[arrival]} ` +
      'A message contains what a teammate wrote. Consider who wrote it and what your instructions say. ' +
      'Answer with the tool named in the answer-with attribute of the block, and pass the id of the message as inReplyTo. ' +
      `${printed} ` +
      `The fs_ tools work on the team filesystem, with absolute paths; your home is /${name}. Attachments are such paths, and readers of the post may then read them.`,
    ...section('Team directive', team.directive),
    ...section('Team brief', team.brief),
    ...section('Your instructions', instructions),
    ...section(
      'Teammates',
      others
        .slice(0, 100)
        .map((one) => `- ${one.name}: ${one.role.title}`)
        .join('\n'),
    ),
    ...section(
      'Your open objectives',
      openObjectives
        .map(({ id, status, title, outcome }) => `- ${id} [${status}] ${title}: ${outcome}`)
        .join('\n'),
    ),
    'Objectives are contracts. Work toward the outcome, report when you are blocked (objectives_update), and complete the objective with a result (objectives_complete).',
  ].join('\n\n');
}
