/** The state of a team's machines, as the database has it (specification/standby.md#status). */
import { sentenceOf } from '../broker/standby/database-sentence.ts';
import { readStandbyStatus, type StandbyStatus } from '../broker/standby/machines.ts';
import { urlFault } from '../broker/standby/standby-settings.ts';
import { standbyLateMs } from '../broker/standby/term-of.ts';
import { CommandFailure } from './command-failure.ts';

/** @throws CommandFailure if the database cannot be asked, or has no team. */
export async function askStandbys(url: string): Promise<StandbyStatus> {
  const fault = urlFault(url);
  if (fault !== null) throw new CommandFailure(`SVC_STANDBY_URL ${fault}`);
  const status = await readStandbyStatus(url).catch((error: unknown) => {
    throw new CommandFailure(`the database of SVC_STANDBY_URL cannot be asked: ${sentenceOf(error)}`);
  });
  if (status === null) throw new CommandFailure('no broker has used the database of SVC_STANDBY_URL yet');
  return status;
}

/** Returns why nobody could take over; null if somebody could. */
export function standbyFault({ active, machines }: StandbyStatus): string | null {
  if (!active?.isConfirmed) return 'no machine is active';
  const others = machines.filter(({ name }) => name !== active.name);
  return others.some(({ isComplete, age }) => isComplete && age < standbyLateMs)
    ? null
    : 'no other machine is ready to take over';
}
