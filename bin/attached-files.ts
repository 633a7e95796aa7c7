/** The files that `--attach` names: those of the team, which begin with "/", and those of this machine, which are uploaded first. */
import { basename } from 'node:path';
import process from 'node:process';
import type { BrokerConnection } from './broker-connection.ts';
import { upload } from './files/upload.ts';
import { remark } from './output.ts';
import { oneLine } from './terminal-text.ts';

const isOfTeam = (path: string): boolean => path.startsWith('/');

/** As far as it can be checked before anything is sent. */
export const teamPathsOf = (paths: readonly string[] | undefined): string[] | undefined =>
  paths?.filter(isOfTeam);

/**
 * Uploads the files of this machine to the caller's home, and returns the paths of the team in the same order. A taken name
 * gets a number. @throws what an upload throws; the message is not sent then.
 */
export async function withUploads(
  { client, http }: Pick<BrokerConnection, 'client' | 'http'>,
  paths: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (paths === undefined || paths.every(isOfTeam)) return paths?.slice();
  const { member } = await client.call('session', {});
  const attached: string[] = [];
  for (const path of paths) {
    if (isOfTeam(path)) {
      attached.push(path);
      continue;
    }
    const { entry } = await upload(path, {
      http,
      path: `/${member}/${basename(path)}`,
      collide: 'suffix',
      screen: process.stderr,
    });
    remark(`uploaded ${oneLine(path)} to ${oneLine(entry.path)}`);
    attached.push(entry.path);
  }
  return attached;
}
