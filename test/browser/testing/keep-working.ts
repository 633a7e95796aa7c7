/** An agent that works. */
import type { ConsoleTeam } from './console-team.ts';

/** A report of work ends after 30 seconds, and a runner repeats it. */
export async function keepWorking(team: ConsoleTeam['team'], name: string): Promise<AsyncDisposable> {
  const report = () => team.as(name).call('reportBusy', { body: { busy: true } });
  await report();
  const timer = setInterval(() => void report().catch(() => undefined), 5000);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await team.as(name).call('reportBusy', { body: { busy: false } });
    },
  };
}
