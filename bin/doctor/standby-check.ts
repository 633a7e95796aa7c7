/** Whether another machine could take over (specification/standby.md#status). */
import { reasonOf } from '#platform/error-text.ts';
import { askStandbys, standbyFault } from '../standby-status.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export async function checkStandbys(url: string): Promise<Finding> {
  try {
    const status = await askStandbys(url);
    const fault = standbyFault(status);
    if (fault === null)
      return ok('standby', `"${status.active?.name}" is active, and another machine could take over`);
    return warn('standby', fault, 'run "muster standby", and start the machines that are missing');
  } catch (error) {
    return fail('standby', reasonOf(error), 'check the address, and that the database runs');
  }
}
