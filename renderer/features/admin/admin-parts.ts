/** The parts of Admin. Each has an address of its own below `/app/admin`. */
import type { OperationId } from '#protocol/operations.ts';

export interface AdminPart {
  to:
    | '/app/admin/people'
    | '/app/admin/machines'
    | '/app/admin/audit'
    | '/app/admin/backup'
    | '/app/admin/network'
    | '/app/admin/health'
    | '/app/admin/team';
  label: string;
  /** A few words about the content, for the list on a phone. */
  words: string;
  /** The part is shown only to members who may perform this operation. */
  needs?: OperationId;
  /** Its form keeps the text if the member may not perform the operation anymore. */
  hasForm?: boolean;
}

export const adminParts: readonly AdminPart[] = [
  { to: '/app/admin/people', label: 'People', words: 'Members, permissions, tokens, and sessions' },
  {
    to: '/app/admin/machines',
    label: 'Machines',
    words: 'Devices that wait, and everything that has access',
  },
  { to: '/app/admin/audit', label: 'Audit', words: 'Who changed what', needs: 'audit' },
  {
    to: '/app/admin/backup',
    label: 'Backup and retention',
    words: 'Backups, the recovery key, and retention',
    needs: 'retention',
  },
  {
    to: '/app/admin/network',
    label: 'Network',
    words: 'Addresses, joining, and a connected platform',
    needs: 'diagnostics',
    hasForm: true,
  },
  { to: '/app/admin/health', label: 'Health', words: 'The broker and its stores', needs: 'diagnostics' },
  { to: '/app/admin/team', label: 'Team', words: 'Name, directive, brief, and presets' },
];

export const shownParts = (may: (operation: OperationId) => boolean): AdminPart[] =>
  adminParts.filter(({ needs }) => needs === undefined || may(needs));
