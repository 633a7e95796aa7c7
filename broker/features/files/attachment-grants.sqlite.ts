/**
 * Attachments, for adapters inside their own transaction: what a sender names must be a file that it can
 * read, and everybody for whom the message is may read it from then on (specification/files.md#grants).
 */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { type Caller, fileAccess } from './file-access.sqlite.ts';
import { fileRows, isDirectory } from './file-rows.sqlite.ts';
import { isInsideHome } from './fs-path.rules.ts';
import { type GrantRow, grantRows } from './grant-rows.sqlite.ts';

export function attachmentGrants(db: Database.Database) {
  const access = fileAccess(db);
  const rows = fileRows(db);
  const grants = grantRows(db);
  const trail = auditTrail(db);
  return {
    /**
     * @throws BrokerError not_found and bad_request (a directory) where the sender may look; otherwise
     *   forbidden, whether it exists or not.
     */
    resolve(sender: Caller, paths: readonly string[]): void {
      for (const path of paths) {
        if (!access.holds(sender, path)) {
          if (!access.isGranted(sender, path)) refuse('attachment_unreadable');
          continue;
        }
        const row = rows.find(path);
        if (!isInsideHome(path) || (row !== undefined && isDirectory(row)))
          refuse('attachment_is_directory', { path });
        if (row === undefined) refuse('attachment_not_found', { path });
      }
    },
    /**
     * One row per file, however many members the audience has. The first attachment stays the reason. A file
     * that a manager shares by its right is recorded.
     */
    grant(sender: Caller, paths: readonly string[], why: GrantRow, audit: AuditEntry | null): void {
      const { messageId, objectiveId } = why;
      for (const path of paths) {
        const isByRight = access.isByRight(sender, path);
        if (audit !== null && isByRight && access.holds(sender, path))
          trail.append({ ...audit, subject: path, after: { messageId, objectiveId } });
        grants.add(path, why, isByRight ? sender.name : null);
      }
    },
  };
}
