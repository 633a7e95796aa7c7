/**
 * Long replies that are being sent: files, and JSON in pages. Like a live stream, each of them ends with the
 * credential that asked for it (specification/authentication.md#ending-access).
 */
import type { ServerResponse } from 'node:http';
import type { Actor } from '../runtime/actor.ts';
import type { Expiries } from '../runtime/expiries.ts';
import { isOver } from './reply-over.ts';

export interface RepliesInTransit {
  /**
   * The reply belongs to this caller until it is closed. Only what ends afterwards is noticed, so the caller is
   * confirmed after this.
   */
  begin(actor: Actor, response: ServerResponse): void;
  /** Cuts the replies to this token, session, or JWT. */
  endOf(credentialId: string): void;
  /** Cuts the replies to a removed member, whatever its credentials are. */
  endOfMember(name: string): void;
}

export function createRepliesInTransit(expiries: Pick<Expiries, 'set' | 'delete'>): RepliesInTransit {
  const actorByResponse = new Map<ServerResponse, Actor>();
  let begun = 0;

  function endWhere(isOver: (actor: Actor) => boolean): void {
    for (const [response, actor] of actorByResponse) if (isOver(actor)) response.destroy();
  }

  return {
    begin(actor, response) {
      if (isOver(response)) return;
      actorByResponse.set(response, actor);
      // Tokens and sessions tell when they expire; nothing else watches a JWT.
      const expiry = `reply:${begun++}`;
      if (actor.plane === 'jwt') expiries.set(expiry, actor.expiresAt, () => response.destroy());
      response.once('close', () => {
        actorByResponse.delete(response);
        expiries.delete(expiry);
      });
    },
    endOf: (credentialId) => endWhere((actor) => actor.credentialId === credentialId),
    endOfMember: (name) => endWhere((actor) => actor.name === name),
  };
}
