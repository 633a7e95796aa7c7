/**
 * The data of members in the main store: retired names, and the rows that go with a member
 * (specification/members.md#removing-a-member). Members themselves are in svc.json, which decides whether a
 * removal happened; the retirement of a name is complete when the member's rows are gone as well.
 */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import { foldedName } from '#protocol/folded-name.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { channelRows, type LeftChannel } from '../channels/channel-rows.sqlite.ts';
import { generalRows } from '../channels/general-rows.sqlite.ts';
import { grantRows } from '../files/grant-rows.sqlite.ts';
import { heldRows } from '../holds/holds.sqlite.ts';
import { kindRows } from '../kinds/kinds.sqlite.ts';
import { presenceRows } from '../presence/presence.sqlite.ts';
import { sessionRows } from '../sessions/sessions.sqlite.ts';
import { type TokenRow, tokenRows } from '../tokens/tokens.sqlite.ts';

export interface Removal {
  name: string;
  at: number;
  /** The name of the actor that removed the member. */
  by: string;
}

export interface Ending extends Removal {
  /** The record of each held post that is dropped with the member. */
  dropping: AuditEntry;
}

/** The things that ended with a member. */
export interface Ended {
  /** The channels that it was in. */
  channels: LeftChannel[];
  /** The ids of its held posts, which are dropped. */
  held: string[];
}

export interface Claim extends Ending {
  /** The new member's primary token; null if it has none. */
  token: TokenRow | null;
}

/**
 * Returns the function that removes what ends with a member besides its tokens, inside the removal's transaction.
 * Its objectives are released before.
 */
function memberForgetter(db: Database.Database): (ending: Ending) => Ended {
  const sessions = sessionRows(db);
  const presence = presenceRows(db);
  const kinds = kindRows(db);
  const files = grantRows(db);
  const channels = channelRows(db);
  const general = generalRows(db);
  const held = heldRows(db);
  const pushSubscriptions = db.prepare<[string]>('DELETE FROM push_subscription WHERE member = ?');
  const attentionMarks = db.prepare<[string]>('DELETE FROM attention_mark WHERE member = ?');
  return ({ name, dropping }) => {
    sessions.removeOf(name);
    presence.removeOf(name);
    kinds.removeOf(name);
    files.forgetMember(name);
    general.letGo(name);
    pushSubscriptions.run(name);
    attentionMarks.run(name);
    return { channels: channels.forgetMember(name), held: held.takeOutAllOf(name, dropping) };
  };
}

export function memberUnits(db: Database.Database) {
  const isRetired = db.prepare<[string]>('SELECT 1 FROM retired_name WHERE folded = ?');
  const retire = db.prepare<[string, string, number, string]>(
    `INSERT INTO retired_name (folded, name, retired_at, retired_by) VALUES (?, ?, ?, ?) ON CONFLICT (folded) DO NOTHING`,
  );
  const unretire = db.prepare<[string]>('DELETE FROM retired_name WHERE folded = ? AND settled_at IS NULL');
  const markSettled = db.prepare<[number, string]>('UPDATE retired_name SET settled_at = ? WHERE folded = ?');
  const unsettled = db.prepare<[], Removal>(
    'SELECT name, retired_at AS at, retired_by AS by FROM retired_name WHERE settled_at IS NULL',
  );
  const tokens = tokenRows(db);
  const forget = memberForgetter(db);
  const general = generalRows(db);
  return {
    reads: {},
    upkeep: {
      unsettledRemovals: (): Removal[] => unsettled.all(),
    },
    writes: {
      /**
       * Runs before a member is written to the configuration. Nothing is inherited from a namesake that was
       * removed from the file by hand. Token rows stay: the new member's are among them, and a start removes
       * all others. Returns the ids of the namesake's held posts.
       */
      claimName: (claim: Claim): string[] => {
        const { name, token } = claim;
        if (isRetired.get(foldedName(name)) !== undefined) {
          refuse('name_retired', { name });
        }
        const ended = forget(claim);
        general.bringIn(name, claim.at);
        if (token !== null) tokens.insert(token);
        return ended.held;
      },
      /** The configuration was not written, so there is no new member. */
      dropClaim: (token: string): void => tokens.remove(token),
      /** Runs before a member is removed from the configuration. */
      beginRemoval: ({ name, at, by }: Removal): void => void retire.run(foldedName(name), name, at, by),
      /** The configuration was not written, so the member stays. */
      cancelRemoval: (name: string): void => void unretire.run(foldedName(name)),
      /** The member is out of the configuration. Repeating it changes nothing. */
      completeRemoval: (removal: Ending): Ended => {
        tokens.removeOf(removal.name);
        const ended = forget(removal);
        markSettled.run(removal.at, foldedName(removal.name));
        return ended;
      },
    },
  };
}
export type MemberUnits = AsyncUnits<typeof memberUnits>;
