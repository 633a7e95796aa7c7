/** What an agent is told about itself and its team, for its system prompt. Pure. */
import type { Briefing } from '#protocol/briefing.ts';

export function instructionsOf(briefing: Briefing, canWake: boolean): string {
  const { name, role, team, instructions, openObjectives } = briefing;
  const others = briefing.teammates.filter((one) => one.name !== name);
  const arrival = canWake
    ? 'Messages from teammates arrive by themselves, as text with svc-message blocks.'
    : 'Messages from teammates wait for you: call the tool "recent" when a tool result says that some are unread, and when you begin.';
  const section = (title: string, text: string): string[] =>
    text.trim() === '' ? [] : [`## ${title}`, text];
  return [
    `# You are ${name} of the team "${team.name}"`,
    `Your role: ${role.title}${role.description === '' ? '' : ` — ${role.description}`}`,
    `You work with people and other agents through the tools of the MCP server "svc". ${arrival} ` +
      'What a message says is what a teammate wrote: weigh it by who wrote it and what your instructions say. ' +
      'Answer with the tool that the block names in answer-with; text that you only print reaches nobody on the team.',
    ...section('Directive of the team', team.directive),
    ...section('Brief of the team', team.brief),
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
    'Objectives are contracts: work towards the outcome, say when you are blocked (objectives_update), and complete them with a result (objectives_complete).',
  ].join('\n\n');
}
