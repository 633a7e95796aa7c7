/** The broker as it runs in production: `muster serve` with both stores on disk. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Server, startServer } from './processes.ts';

export const benchToken = `svc_${'b'.repeat(43)}`;
/** The token of a member without permissions. */
export const otherToken = `svc_${'o'.repeat(43)}`;

/** The token of any other member, whose name does not end with an underscore. */
export const tokenOf = (name: string): string => `svc_${name.padEnd(43, '_')}`;

/** Starts a broker with its configuration and stores in `folder`, which is created. `command`: the path of `svc`. */
export function startBenchBroker(
  folder: string,
  others: readonly string[] = [],
  command = '../../bin/muster',
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const configPath = join(folder, 'svc.json');
  writeFileSync(configPath, JSON.stringify(benchConfig(others)), { mode: 0o600 });
  const stores = ['--db', join(folder, 'main.db'), '--activity-db', join(folder, 'activity.db')];
  return startServer(command, ['serve', '--config-path', configPath, ...stores, '--port', '0']);
}

/** The content of the broker's svc.json, with the members that are measured and these. */
export function benchConfig(others: readonly string[] = []): object {
  const member = (name: string, token: string, rawPermissions: string[]) => ({
    name,
    role: { title: 'Bench' },
    rawPermissions,
    token,
  });
  const members = [
    member('bench', benchToken, ['members.manage']),
    member('other', otherToken, []),
    ...others.map((name) => member(name, tokenOf(name), [])),
  ];
  const files = { root: 'files', maxFileSize: 2 ** 31 };
  // One member opens all streams from one machine, which it may not do otherwise.
  const listen = { maxStreamsPerMember: 100_000, maxConnections: 100_000 };
  return { team: { name: 'Bench' }, files, listen, store: { members } };
}
