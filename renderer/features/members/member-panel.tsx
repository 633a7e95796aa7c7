/** One member beside the list, or in its place on a narrow screen: credentials, role, and permissions. */

import { Link } from '@tanstack/react-router';
import { ArrowLeft, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Member } from '#protocol/member.ts';
import { formatScope } from '#protocol/scope.ts';
import { useEscape } from '../../commands/escape.ts';
import { useRoster } from '../../data/queries.ts';
import { may, relationsToMember } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { Button, buttonClass, IconButton } from '../../ui/button.tsx';
import { KindBadge, useIsAgent } from '../../ui/kind.tsx';
import { Section } from '../../ui/page.tsx';
import { PermissionBadges } from '../../ui/permission-badges.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { NeedsHere } from '../inbox/needs-here.tsx';
import { MemberEditor } from './member-editor.tsx';
import { MemberKindChoice } from './member-kind.tsx';
import { MemberRemoval } from './member-removal.tsx';
import { MemberSessions } from './member-sessions.tsx';
import { MemberTokens, type MemberTokensProps, type Rotated } from './member-tokens.tsx';
import { TokenOnce } from './secret-once.tsx';
import { TotpEnrollment } from './totp-enrollment.tsx';
import { useMembers } from './use-members.ts';

/** The fields of a member that holders of members.manage get; others get the public part. */
type Listed = Pick<Member, 'name' | 'role' | 'permissions'> & {
  [K in 'instructions' | 'rawPermissions' | 'totpEnrolled' | 'wakes']?: Member[K] | undefined;
};

function fullOf(member: Listed): Member | undefined {
  const { instructions, rawPermissions, totpEnrolled } = member;
  if (instructions === undefined || rawPermissions === undefined || totpEnrolled === undefined)
    return undefined;
  return { ...member, instructions, rawPermissions, totpEnrolled };
}

function MemberFacts({ member }: { member: Listed }) {
  const { name, role, totpEnrolled: hasTotp } = member;
  const maySeeActivity = useMay('activityRange', relationsToMember(name, useSelf().member));
  const isAgent = useIsAgent(name);
  const { data: roster } = useRoster();
  const presence = roster?.connected.find((one) => one.name === name);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <span tabIndex={-1} className="short-heading text-soft">
        {role.title}
      </span>
      <PresenceMark presence={presence} />
      {presence?.run === undefined ? null : (
        <span className="text-soft">
          {presence.run.agent} runs on {presence.run.host} since <Time at={presence.run.since} />
        </span>
      )}
      {hasTotp === undefined ? null : (
        <span className="text-soft">
          {hasTotp
            ? 'authenticator enrolled'
            : isAgent
              ? 'needs no authenticator'
              : 'no authenticator, so no login with codes'}
        </span>
      )}
      <span className="flex gap-1.5">
        <Link
          to="/app/conversations/$scope"
          params={{ scope: formatScope({ kind: 'direct', member: name }) }}
          className={buttonClass('secondary', 'small')}
        >
          Message
        </Link>
        {maySeeActivity ? (
          <Link to="/app/activity" search={{ member: name }} className={buttonClass('secondary', 'small')}>
            Activity
          </Link>
        ) : null}
      </span>
    </div>
  );
}

function PublicRole({ member }: { member: Listed }) {
  return (
    <Section title="Role">
      <div className="p-4">
        <p className="font-medium">{member.role.title}</p>
        <p className="text-soft">{member.role.description}</p>
        <p className="mt-2 flex flex-wrap gap-1">
          <PermissionBadges permissions={member.permissions} />
        </p>
      </div>
    </Section>
  );
}

interface CredentialsProps extends MemberTokensProps {
  isOwn: boolean;
  hasTotp: boolean;
}

function Credentials({ isOwn, hasTotp, ...tokens }: CredentialsProps) {
  const { member } = tokens;
  const [isEnrolling, setEnrolling] = useState(false);
  return (
    <>
      <MemberSessions member={member} />
      <MemberTokens {...tokens} />
      <Section title="Authenticator">
        <div className="flex flex-wrap items-center justify-between gap-3 p-4">
          <p className="text-soft">
            A person logs in to this console with six-digit codes from an authenticator.
          </p>
          <Button onClick={() => setEnrolling(true)}>
            {hasTotp ? 'Replace the authenticator' : 'Enroll an authenticator'}
          </Button>
        </div>
      </Section>
      <TotpEnrollment
        member={member}
        isOwn={isOwn}
        hasTotp={hasTotp}
        isOpen={isEnrolling}
        onClose={() => setEnrolling(false)}
      />
    </>
  );
}

interface MemberPanelProps {
  name: string;
  onClose: () => void;
}

/** Escape closes it. */
export function MemberPanel({ name, onClose }: MemberPanelProps) {
  const { data, error, refetch } = useMembers();
  const member = data?.members.find((one) => one.name === name);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  useEscape(onClose);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={`Member ${name}`}
      className="flex min-w-0 flex-1 flex-col bg-surface outline-none"
    >
      <header className="flex shrink-0 flex-col gap-1.5 border-b border-line px-4 py-2">
        <div className="flex items-center gap-2">
          <IconButton label="Back to the people" className="-ml-2 lg:hidden" onClick={onClose}>
            <ArrowLeft />
          </IconButton>
          <Avatar name={name} size="small" />
          <h2 tabIndex={-1} className="short-heading font-semibold">
            {name}
          </h2>
          <KindBadge name={name} />
          <span className="flex-1" />
          <IconButton label="Close" className="-mr-2 max-lg:hidden" onClick={onClose}>
            <X />
          </IconButton>
        </div>
        {member === undefined ? null : (
          <>
            <MemberFacts member={member} />
            <NeedsHere names={[name]} />
          </>
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto" {...scrollable(`About ${name}`, 'group')}>
        {data === undefined ? (
          <NotLoaded error={error} onRetry={refetch} />
        ) : member === undefined ? (
          <EmptyState title={`There is no member named ${name}`} />
        ) : (
          <Parts member={member} members={data.members} />
        )}
      </div>
    </section>
  );
}

function Parts({ member, members }: { member: Listed; members: readonly Listed[] }) {
  const { name } = member;
  const self = useSelf().member;
  const mayEdit = useMay('updateMember');
  const mayRemove = useMay('deleteMember');
  const mayChangeCredentials = useMay('tokens', relationsToMember(name, self));
  const managers = members.filter(({ permissions }) => may('updateMember', permissions));
  const isLastManager = managers.length === 1 && managers[0]?.name === name;
  const full = fullOf(member);
  const lastFull = useRef(full);
  if (full !== undefined) lastFull.current = full;
  const mayChange = full !== undefined && mayEdit;
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const rotateButton = useRef<HTMLButtonElement>(null);
  return (
    <div className="flex max-w-4xl flex-col gap-4 pb-4">
      {mayChangeCredentials ? (
        <Credentials
          member={name}
          isOwn={name === self}
          hasTotp={full?.totpEnrolled ?? false}
          rotateButton={rotateButton}
          onRotated={setRotated}
        />
      ) : null}
      <TokenOnce
        member={name}
        token={rotated?.token ?? null}
        isAuthenticatorUnbound={rotated?.authenticatorUnbound ?? false}
        onClose={() => setRotated(null)}
        focusAfter={() => rotateButton.current}
      />
      {lastFull.current === undefined ? null : (
        <MemberEditor member={lastFull.current} isLastManager={isLastManager} mayChange={mayChange} />
      )}
      {mayChange ? null : <PublicRole member={member} />}
      {mayEdit ? <MemberKindChoice name={name} /> : null}
      {mayRemove ? <MemberRemoval name={name} isLastManager={isLastManager} /> : null}
    </div>
  );
}
