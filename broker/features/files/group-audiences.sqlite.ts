/**
 * Audiences that are groups (D10): `chan:<id>` is whoever is in the channel, `obj:<id>` whoever is in the objective's thread, each at
 * the moment it is asked. For adapters, inside their own transaction.
 */
import type Database from 'better-sqlite3';
import { channelAccess } from '../channels/channel-access.sqlite.ts';
import { threadAccess } from '../objectives/thread-access.sqlite.ts';

const channelPrefix = 'chan:';
const threadPrefix = 'obj:';

export function groupAudiences(db: Database.Database) {
  const channels = channelAccess(db);
  const threads = threadAccess(db);
  const channelsOf = db
    .prepare<[string], string>(`SELECT '${channelPrefix}' || channel_id FROM channel_member WHERE member = ?`)
    .pluck();
  /** Threads that share something: most share nothing, and each is looked through for every path asked about. */
  const sharing = `EXISTS (SELECT 1 FROM fs_grant WHERE audience = '${threadPrefix}' || objective.id)`;
  const threadsOf = ['assignee', 'originator'].map((relation) =>
    db
      .prepare<[string], string>(
        `SELECT '${threadPrefix}' || id FROM objective WHERE ${relation} = ? AND ${sharing}`,
      )
      .pluck(),
  );
  const threadsWatchedBy = db
    .prepare<[string], string>(
      `SELECT '${threadPrefix}' || objective.id FROM objective_watcher JOIN objective USING (num) WHERE member = ? AND ${sharing}`,
    )
    .pluck();

  return {
    includes(audience: string, member: string): boolean {
      if (audience.startsWith(channelPrefix))
        return channels.membership(audience.slice(channelPrefix.length), member) !== undefined;
      if (!audience.startsWith(threadPrefix)) return false;
      // Managers read every file without a grant.
      return threads.isMember(audience.slice(threadPrefix.length), { name: member, isManager: false });
    },
    /** The groups a member is in that may have been granted something. */
    of: (member: string): string[] => [
      ...new Set([
        ...channelsOf.all(member),
        ...[...threadsOf, threadsWatchedBy].flatMap((threads) => threads.all(member)),
      ]),
    ],
    /** Those in a group by name: of a thread without the managers, who are in all of them. */
    membersOf(audience: string): string[] {
      if (audience.startsWith(channelPrefix)) return channels.membersOf(audience.slice(channelPrefix.length));
      return audience.startsWith(threadPrefix) ? threads.membersOf(audience.slice(threadPrefix.length)) : [];
    },
  };
}
