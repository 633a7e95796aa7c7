/**
 * The rows that a change of an objective writes, inside the transaction of the change: the objective, its audit
 * events, a notice for each, and what the activity store must learn (specification/objectives.md#events).
 */
import type Database from 'better-sqlite3';
import type { Message } from '#protocol/message.ts';
import type { MessageStamp } from '../../runtime/message-stamps.ts';
import { stageOutbox } from '../activity/outbox.sqlite.ts';
import { type MessageRow, messageRows, toMessage } from '../messages/message-rows.sqlite.ts';
import { threadMembers } from '../scopes/scope-access.rules.ts';
import type { Change } from './objective.rules.ts';
import { concernedBy, markersOf, noticeOf, threadOf } from './objective-notices.rules.ts';
import { objectiveRows, type Placed } from './objective-rows.sqlite.ts';

/** A notice as it is published once it is committed. */
export interface Posted {
  /** Its position in the order of acceptance. */
  seq: number;
  message: Message;
  audience: string[];
  /** The members of the audience whom it concerns by name (specification/web-push.md#sending). */
  concerned: string[];
}

export interface Circumstances {
  /** The member who made the change; `system` for the broker itself. */
  actor: string;
  isAgent: boolean;
  /** The holders of members.manage, who are in every thread. */
  managers: readonly string[];
  /** In increasing order, at least one per event; the first one says when it happened. */
  stamps: readonly MessageStamp[];
  /** Members who are not told, because they are gone. */
  except?: string;
}

export function objectiveLog(db: Database.Database) {
  const rows = objectiveRows(db);
  const messages = messageRows(db);
  const stage = stageOutbox(db);

  /**
   * `before` is null for a new objective. Notices go to the thread's members before and after the change
   * (specification/messages.md#notices).
   */
  function record(
    before: Placed | null,
    { objective, events: bodies }: Change,
    { actor, isAgent, managers, stamps, except }: Circumstances,
    isTold = true,
  ): Posted[] {
    const num = before?.num ?? rows.add(objective);
    if (before !== null && bodies.length > 0) rows.replace(num, before.objective, objective);
    const ts = stamps[0]?.ts ?? objective.updatedAt;
    const events = rows.log(
      { num, objective },
      actor,
      bodies.map((body) => ({ ts, body })),
    );
    const present = [before?.objective ?? objective, objective];
    const audience = [...new Set(present.flatMap((one) => threadMembers(one, managers)))].filter(
      (name) => name !== except,
    );
    return events.flatMap((event, index) => {
      for (const { member, event: marker } of markersOf(event, objective))
        stage({ member, ts: marker.ts, kind: marker.kind, event: JSON.stringify(marker) });
      if (!isTold) return [];
      const stamp = stamps[index];
      if (stamp === undefined) throw new Error('there are more events than stamps');
      const { body, level, data } = noticeOf(event, objective.title);
      const row: MessageRow = {
        ...stamp,
        sender: actor,
        recipient: null,
        scope: threadOf(objective.id),
        title: null,
        body,
        level,
        data: JSON.stringify(data),
        attachments: '[]',
        in_reply_to: null,
        auto: 0,
        // A change that an agent makes is not a person's word, so it resets no count.
        agent_hops: isAgent ? 1 : null,
      };
      const seq = messages.insert(row);
      messages.address(seq, row, audience);
      return [{ seq, message: toMessage(row), audience, concerned: concernedBy(event, objective) }];
    });
  }

  return { record };
}
