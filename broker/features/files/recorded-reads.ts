/**
 * Reads that only the right of a manager, the reader or who shared the file, allows, in the audit log: the first one of each content, and again after
 * an hour, so that a viewer that asks for a file piece by piece does not fill the log (specification/audit.md#files-of-others).
 */
import type { AuditValues } from '#protocol/audit.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Audit } from '../audit/audit.service.ts';

export interface RecordedReads {
  /** Durable when it resolves. @throws if the log cannot be written; then nobody may read. */
  note(read: { member: string; path: string; content: AuditValues }): Promise<void>;
}

/** A member who reads the same content again within it is recorded once. */
const recordedForMs = 3_600_000;
/** The newest reads of all members that are remembered. */
const maxRemembered = 10_000;

export function createRecordedReads(audit: Pick<Audit, 'entry' | 'record'>, clock: Clock): RecordedReads {
  /** Oldest first. `done` resolves when the record is durable. */
  const recordedByKey = new Map<string, { at: number; done: Promise<void> }>();
  return {
    async note({ member, path, content }) {
      const key = JSON.stringify([member, path, content]);
      const at = clock();
      const recorded = recordedByKey.get(key);
      // A clock that was set back must not silence the log.
      if (recorded !== undefined && at >= recorded.at && at - recorded.at < recordedForMs)
        return recorded.done;
      const done = audit.record(audit.entry('files_read', { subject: path, after: content }));
      recordedByKey.delete(key);
      recordedByKey.set(key, { at, done });
      const [oldest] = recordedByKey.keys();
      if (recordedByKey.size > maxRemembered && oldest !== undefined) recordedByKey.delete(oldest);
      try {
        await done;
      } catch (error) {
        if (recordedByKey.get(key)?.done === done) recordedByKey.delete(key);
        throw error;
      }
    },
  };
}
