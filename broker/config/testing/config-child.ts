/**
 * A real process that opens a configuration and does what the test requests: `open`, `update`,
 * `update-forever`, or `members-forever`, then the path.
 */
import { BrokerError } from '#protocol/errors.ts';
import { StartUpError } from '../../runtime/start-up-error.ts';
import { withChangedMember } from '../changed-config.ts';
import { openConfig } from '../config-store.ts';
import { openKek } from '../kek-file.ts';
import type { SvcConfig } from '../svc-config.ts';

const [task, path = ''] = process.argv.slice(2);

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function updateTeam(store: Awaited<ReturnType<typeof openConfig>>, brief: string): Promise<void> {
  await store.update((config) => ({ ...config, team: { ...config.team, brief } }));
}

const withRound = (name: string, round: number) => (config: SvcConfig) =>
  withChangedMember(config, name, (member) => ({ ...member, instructions: String(round) }));

try {
  const store = await openConfig({ path, kek: await openKek({ configPath: path, env: process.env }) });
  say({ opened: true, migrated: store.migrated });
  if (task === 'update') {
    try {
      await updateTeam(store, 'changed');
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      say({ refused: error.code, message: error.message, brief: store.current?.team.brief });
    }
  }
  for (let round = 1; task === 'update-forever'; round++) {
    await updateTeam(store, `${round} `.repeat(2000));
    say({ round });
  }
  for (let round = 1; task === 'members-forever'; round++) {
    const names = (store.current?.store.members ?? []).map(({ name }) => name);
    await Promise.all(
      names.map((name) => store.update(withRound(name, round)).then(() => say({ name, round }))),
    );
  }
} catch (error) {
  if (!(error instanceof StartUpError)) throw error;
  say({ stopped: error.message });
  process.exitCode = error.exitCode;
}
