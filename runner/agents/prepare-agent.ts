/** Prepares an agent whose end is the run's end. */
import { reasonOf } from '#platform/error-text.ts';
import type { Agent, AgentKind, AgentSetting } from './agent.ts';
import type { AgentLink } from './agent-link.ts';

/** `parts` stops the agent, then restores every file that it changed. @throws AgentError, with everything as before. */
export async function prepareAgent(
  parts: AsyncDisposableStack,
  kind: AgentKind,
  setting: AgentSetting,
  { link, tell }: { link: AgentLink; tell(line: string): void },
): Promise<Agent> {
  for (const obstacle of (await kind.obstacles?.(setting)) ?? []) setting.tell(obstacle);
  const agent = await kind.prepare(setting);
  link.seat(agent);
  parts.defer(async () => {
    await agent.stop();
    await agent.restore().catch((error: unknown) => {
      // The rest of the run still ends in order; the next one finds what is left.
      const reason = reasonOf(error);
      setting.log('not everything was restored', { reason });
      tell(`not every file was restored (${reason}); the next run in this folder tries again`);
    });
  });
  return agent;
}
