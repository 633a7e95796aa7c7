/** The recent runs of a person, newest first, each choice once. */
import type { RunChoices } from './spawn-plan.rules.ts';

export interface RecentRun extends RunChoices {
  id: string;
  at: number;
}

export const maxRecent = 10;

const secretForm =
  /(?:^|[^a-z])(?:sk-|ghp_|github_pat_|xox[abp]-|AKIA|svc_)[\w-]{8,}|eyJ[\w-]+\.eyJ|-----BEGIN|(?:token|secret|password|passwd|api[-_]?key)(?:=|$)/i;

/** Whether an argument looks like a secret; such a run is not saved. */
export const holdsSecret = ({ args }: Pick<RunChoices, 'args'>): boolean =>
  args.some((argument) => secretForm.test(argument));

const sameAs = (run: RunChoices): string =>
  JSON.stringify([run.member, run.kind, run.program, run.folder, run.args, run.isUnattended, run.modelUrl]);

export function withRecent(recent: readonly RecentRun[], run: RecentRun): RecentRun[] {
  if (holdsSecret(run)) return [...recent];
  const others = recent.filter((one) => sameAs(one) !== sameAs(run));
  return [run, ...others].slice(0, maxRecent);
}
