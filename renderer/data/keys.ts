/**
 * The query keys of everything that the console caches, in one place, so that live events and screens agree.
 */
import type { ObjectiveListFilter } from './objective-pages.rules.ts';

export const keys = {
  session: ['session'] as const,
  briefing: ['briefing'] as const,
  roster: ['roster'] as const,
  team: ['team'] as const,
  members: ['members'] as const,
  kinds: ['kinds'] as const,
  devices: ['devices'] as const,
  tokens: (member: string) => ['tokens', member] as const,
  sessions: (member: string) => ['sessions', member] as const,
  pushSubscriptions: ['pushSubscriptions'] as const,
  channels: ['channels'] as const,
  channel: (slug: string) => ['channel', slug] as const,
  unread: ['unread'] as const,
  /** The items that need the member, for each set of muted conversations. */
  inbox: ['inbox'] as const,
  /** A thread's messages; `scope` is in text form. */
  thread: (scope: string) => ['thread', scope] as const,
  /** A thread's messages around one of them. */
  threadAround: (scope: string, id: string) => ['thread', scope, id] as const,
  unreadMarks: (scope: string) => ['unreadMarks', scope] as const,
  receipts: (messageId: string) => ['receipts', messageId] as const,
  /** Every list of objectives. */
  objectives: ['objectives'] as const,
  objectiveList: (filter: ObjectiveListFilter) => ['objectives', filter] as const,
  objectiveTitles: ['objectiveTitle'] as const,
  objectiveTitle: (id: string) => ['objectiveTitle', id] as const,
  objective: (id: string) => ['objective', id] as const,
  enrollments: ['enrollments'] as const,
  enrollmentHistory: ['enrollmentHistory'] as const,
  fileEntries: ['files', 'entry'] as const,
  files: (path: string) => ['files', path] as const,
  sharedFiles: ['sharedFiles'] as const,
  fileGrants: (path: string) => ['fileGrants', path] as const,
  activity: (member: string) => ['activity', member] as const,
  /** The newest rows of a member, or of every member. */
  recentActivity: (member?: string) =>
    member === undefined ? (['recentActivity'] as const) : (['recentActivity', member] as const),
  transcript: (member: string) => ['transcript', member] as const,
  activityRow: (member: string, id: number) => ['activityRow', member, id] as const,
  /** The usage of everyone, or of the member alone. */
  usage: (ofAll: boolean) => ['usage', ofAll] as const,
  audit: ['audit'] as const,
  held: ['held'] as const,
  loginFailures: ['loginFailures'] as const,
  diagnostics: ['diagnostics'] as const,
  health: ['health facts'] as const,
  retention: ['retention'] as const,
};
