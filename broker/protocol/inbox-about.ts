/** The member whom an item of the inbox is about, and the texts that name the member. Pure, and without zod. */
import type { InboxItem } from './inbox.ts';
import { formatScope } from './scope.ts';

/** The item that says that not everything unread is listed. */
export const moreUnreadKey = 'more unread';

export const heldTitle = (writer: string): string => `A post by ${writer} is held in`;

/** The detail of an objective. */
export const byAssignee = (assignee: string, text: string): string => `${assignee}: ${text}`;

export function isAbout({ title, detail, place }: InboxItem, member: string): boolean {
  switch (place.kind) {
    case 'member':
      return place.name === member;
    case 'held':
      return title === heldTitle(member);
    case 'objective':
      return detail.startsWith(byAssignee(member, ''));
    case 'conversation':
      return place.scope === formatScope({ kind: 'direct', member });
    default:
      return false;
  }
}
