/**
 * The data of members in the main store: retired names, and the rows that go with a member
 * (specification/members.md#removing-a-member). Members themselves are in svc.json, which decides whether a
 * removal happened; the retirement of a name is complete when the member's rows are gone as well.
 */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import { foldedName } from '#protocol/folded-name.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { channelRows } from '../channels/channel-rows.sqlite.ts';
import { generalRows } from '../channels/general-rows.sqlite.ts';
import { grantRows } from '../files/grant-rows.sqlite.ts';
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

export interface Claim extends Removal {
  /** The new member's primary token; null if it has none. */
  token: TokenRow | null;
}

/**
 * Returns the functions that remove what ends with a member besides its tokens, inside the removal's transaction.
 * Its objectives are released before.
 */
function onMemberRemoved(db: Database.Database): ((removal: Removal) => void)[] {
  const sessions = sessionRows(db);
  const presence = presenceRows(db);
  const kinds = kindRows(db);
  const files = grantRows(db);
  const channels = channelRows(db);
  const general = generalRows(db);
  const pushSubscriptions = db.prepare<[string]>('DELETE FROM push_subscription WHERE member = ?');
  const attentionMarks = db.prepare<[string]>('DELETE FROM attention_mark WHERE member = ?');
  return [
    ({ name }) => sessions.removeOf(name),
    ({ name }) => presence.removeOf(name),
    ({ name }) => kinds.removeOf(name),
    ({ name }) => files.forgetMember(name),
    ({ name }) => channels.forgetMember(name),
    ({ name }) => general.letGo(name),
    ({ name }) => void pushSubscriptions.run(name),
    ({ name }) => void attentionMarks.run(name),
  ];
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
  const steps = onMemberRemoved(db);
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
       * all others.
       */
      claimName: (claim: Claim): void => {
        const { name, token } = claim;
        if (isRetired.get(foldedName(name)) !== undefined) {
          refuse('name_retired', { name });
        }
        for (const step of steps) step(claim);
        general.bringIn(name, claim.at);
        if (token !== null) tokens.insert(token);
      },
      /** The configuration was not written, so there is no new member. */
      dropClaim: (token: string): void => tokens.remove(token),
      /** Runs before a member is removed from the configuration. */
      beginRemoval: ({ name, at, by }: Removal): void => void retire.run(foldedName(name), name, at, by),
      /** The configuration was not written, so the member stays. */
      cancelRemoval: (name: string): void => void unretire.run(foldedName(name)),
      /** The member is out of the configuration. Repeating it changes nothing. */
      completeRemoval: (removal: Removal): void => {
        tokens.removeOf(removal.name);
        for (const step of steps) step(removal);
        markSettled.run(removal.at, foldedName(removal.name));
      },
    },
  };
}
export type MemberUnits = AsyncUnits<typeof memberUnits>;
