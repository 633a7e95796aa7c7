/** The items that need a member, from everything that the broker knows (specification/attention.md#inbox). */
import type { Inbox } from '#protocol/inbox.ts';
import { inboxItems, resultMs } from '#protocol/inbox-items.ts';
import { limits } from '#protocol/limits.ts';
import type { Objective, ObjectivesQuery } from '#protocol/objective.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { unlessDamagedFor } from '../../runtime/unless-damaged.ts';
import type { Activity } from '../activity/activity.service.ts';
import type { AttentionService } from '../attention/attention.service.ts';
import type { Enrollment } from '../enrollment/enrollment.service.ts';
import type { Holds } from '../holds/holds.service.ts';
import type { Objectives } from '../objectives/objectives.service.ts';
import type { PresenceService } from '../presence/presence.service.ts';
import type { ReceiptsService } from '../receipts/receipts.service.ts';

export interface InboxService {
  /**
   * The most urgent kind first, and the newest of a kind first. Of the `muted` conversations, only mentions and critical messages
   * are in it. For managers, what a damaged store does not show is left out, and one item tells of the damage.
   * @throws BrokerError store_damaged for others.
   */
  of(actor: Actor, muted: ReadonlySet<string>): Promise<Inbox>;
}

export interface InboxDeps {
  attention: Pick<AttentionService, 'of'>;
  receipts: Pick<ReceiptsService, 'unread'>;
  holds: Pick<Holds, 'list'>;
  enrollment: Pick<Enrollment, 'pending'>;
  presence: Pick<PresenceService, 'roster'>;
  objectives: Pick<Objectives, 'pages' | 'results'>;
  activity: Pick<Activity, 'lastAt'>;
  clock: Clock;
}

export function createInbox(deps: InboxDeps): InboxService {
  const { attention, receipts, holds, enrollment, presence, objectives, activity, clock } = deps;
  const startedAt = clock();

  async function newest(query: ObjectivesQuery): Promise<Objective[]> {
    const pages = await Array.fromAsync(objectives.pages({ ...query, limit: limits.inbox.blocked }));
    return pages.flat();
  }

  return {
    async of(actor, muted) {
      const { name: self } = actor;
      const mayManage = actor.permissions.includes('members.manage');
      const readable = unlessDamagedFor(mayManage);
      const [unread, held, pending, blocked, mine, results] = await Promise.all([
        readable(receipts.unread(self)),
        readable(holds.list(actor)),
        mayManage ? readable(enrollment.pending()) : null,
        readable(newest({ status: 'blocked' })),
        readable(newest({ status: 'blocked', originator: self })),
        readable(objectives.results(self, clock() - resultMs)),
      ]);
      // Afterward, because it tells of the damage that the others met.
      const found = await attention.of(self, mayManage);
      const { marks, critical, addressed, lowDisks = [], damagedStores = [], clock: trouble } = found;
      const blockedById = new Map([...(mine ?? []), ...(blocked ?? [])].map((one) => [one.id, one]));
      const items = inboxItems(
        {
          self,
          critical,
          addressed,
          unread: unread?.scopes ?? [],
          hasMoreUnread: unread?.more ?? false,
          lowDisks,
          clock: trouble,
          damagedStores,
          muted,
          presences: mayManage ? presence.roster({}).connected : [],
          lastActivityOf: (name) => activity.lastAt(name) ?? startedAt,
          enrollments: pending?.enrollments ?? [],
          held: held?.held ?? [],
          blocked: [...blockedById.values()],
          results: results ?? [],
          mayManage,
          now: clock(),
        },
        marks,
      );
      return { items };
    },
  };
}
