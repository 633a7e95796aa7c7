/** People and agents (specification/members.md#kinds). */
import { refuse } from '#protocol/errors.ts';
import type { MemberPageQuery } from '#protocol/member.ts';
import type { KindOfMember, MemberKind, MemberKindList } from '#protocol/member-kind.ts';
import type { ConfigMember } from '../../config/svc-config.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import { kindOf } from './kind.rules.ts';
import type { KindUnits } from './kinds.sqlite.ts';

export interface Kinds {
  list(page: MemberPageQuery): MemberKindList;
  /** Null lets the kind be derived again. @throws BrokerError not_found for an unknown member. */
  set(name: string, kind: MemberKind | null): Promise<KindOfMember>;
  /** A run works as the member, or may soon; the caller has stored it. */
  noteRun(name: string): void;
  /** Whether a run ever worked as the member. */
  hasRun(name: string): boolean;
  /** The member was removed. */
  forget(name: string): void;
  load(): Promise<void>;
}

export interface KindDeps {
  units: KindUnits;
  members: Members;
  audit: Pick<Audit, 'entry'>;
  /** The kind of this member is another one, without a request that says so. */
  onChanged: (name: string) => void;
}

export function createKinds({ units, members, audit, onChanged }: KindDeps): Kinds {
  const withRuns = new Set<string>();
  const setByName = new Map<string, MemberKind>();

  function shown({ name, totpSecret }: ConfigMember): KindOfMember {
    const set = setByName.get(name) ?? null;
    const facts = { set, hasRun: withRuns.has(name), hasAuthenticator: totpSecret !== undefined };
    return { name, kind: kindOf(facts), isSet: set !== null };
  }

  return {
    list: (page) => ({ kinds: members.page(page).map(shown) }),
    async set(name, kind) {
      const member = members.find(name) ?? refuse('unknown_member', { name });
      const before = setByName.get(name) ?? null;
      if (kind === before) return shown(member);
      const entry = audit.entry('member_changed', {
        subject: name,
        before: { kind: before ?? 'derived' },
        after: { kind: kind ?? 'derived' },
      });
      await units.setMemberKind({ member: name, kind, audit: entry });
      if (kind === null) setByName.delete(name);
      else setByName.set(name, kind);
      return shown(member);
    },
    noteRun(name) {
      const member = members.find(name);
      if (member === undefined || withRuns.has(name)) return;
      const before = shown(member).kind;
      withRuns.add(name);
      if (shown(member).kind !== before) onChanged(name);
    },
    hasRun: (name) => withRuns.has(name),
    forget(name) {
      withRuns.delete(name);
      setByName.delete(name);
    },
    async load() {
      for (const { member, ranAt, kind } of await units.allKinds()) {
        if (ranAt !== null) withRuns.add(member);
        if (kind !== null) setByName.set(member, kind);
      }
    },
  };
}
