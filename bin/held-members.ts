/** The members whom a legal hold names, from the configuration of a broker on this machine (specification/retention.md#legal-hold). */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { codeText } from '#platform/error-text.ts';
import { LegalHold } from '#protocol/retention.ts';
import { memberOfHold } from '../broker/features/retention/retention.rules.ts';
import { CommandFailure } from './command-failure.ts';

const Holds = z.looseObject({
  retention: z.looseObject({ holds: z.array(LegalHold.pick({ on: true })).default([]) }).optional(),
});

/** @throws CommandFailure if there is no configuration, or it cannot be read, because it is then not known whose rows must stay. */
export async function heldMembersAt(configPath: string): Promise<string[]> {
  try {
    const { retention } = Holds.parse(JSON.parse(await readFile(configPath, 'utf8')));
    return (retention?.holds ?? []).map(({ on }) => memberOfHold(on)).filter((name) => name !== null);
  } catch (error) {
    throw new CommandFailure(
      `cannot read the legal holds in "${configPath}" (${codeText(error)}), so nothing is deleted. Name the configuration with --config-path.`,
    );
  }
}
