/** Held posts: who sees them, and what a person decides about them (specification/messages.md#held-posts). */
import { refuse } from '#protocol/errors.ts';
import type { HeldList } from '#protocol/held.ts';
import type { Message } from '#protocol/message.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Log } from '../../runtime/log.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { MessageRow } from '../messages/messages.service.ts';
import type { Authors } from './authors.service.ts';
import type { HeldUnits } from './holds.sqlite.ts';

export interface Holds {
  list(actor: Actor): Promise<HeldList>;
  /**
   * @throws BrokerError held_by_person, unknown_held, held_earlier, unknown_member if its writer was removed, and whatever refuses
   *   the post itself.
   */
  release(actor: Actor, id: string): Promise<Message>;
  /** @throws BrokerError held_by_person, unknown_held. */
  drop(actor: Actor, id: string): Promise<void>;
  /** Tells of posts that were dropped with their writer, whom `by` removed. */
  droppedWith(writer: string, ids: readonly string[], by: string): void;
}

export interface HoldsDeps {
  units: HeldUnits;
  authors: Pick<Authors, 'isAgent'>;
  audit: Pick<Audit, 'entry'>;
  isMember: (name: string) => boolean;
  /** Delivers a held post as its writer's, and takes it out of the held ones in the same transaction. */
  deliver: (post: MessageRow) => Promise<Message>;
  /** The held posts of this writer changed. */
  onChanged: (id: string, writer: string) => void;
  log: Log;
}

export function createHolds(deps: HoldsDeps): Holds {
  const { units, authors, audit, isMember, deliver, onChanged, log } = deps;

  function refuseAgent(actor: Actor): void {
    if (authors.isAgent(actor)) refuse('held_by_person');
  }

  function tellDropped(id: string, writer: string, by: string): void {
    log.info({ heldId: id, from: writer, by }, 'a held post was dropped');
    onChanged(id, writer);
  }

  return {
    async list({ name, permissions }) {
      const isManager = permissions.includes('members.manage');
      return { held: await units.heldPosts({ reader: { name, isManager } }) };
    },
    async release(actor, id) {
      refuseAgent(actor);
      const post = await units.heldPost({ id });
      // A removal takes the writer out of the configuration before it drops the posts.
      if (!isMember(post.sender)) refuse('unknown_member', { name: post.sender });
      const message = await deliver(post);
      log.info(
        { heldId: id, messageId: message.id, from: message.from, by: actor.name },
        'a held post was released',
      );
      onChanged(id, message.from);
      return message;
    },
    async drop(actor, id) {
      refuseAgent(actor);
      const entry = audit.entry('held_dropped', {});
      const writer = await units.dropHeld({ id, audit: entry });
      tellDropped(id, writer, actor.name);
    },
    droppedWith(writer, ids, by) {
      for (const id of ids) tellDropped(id, writer, by);
    },
  };
}
