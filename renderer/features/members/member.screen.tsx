/** One member: role, permissions, and credentials. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Member } from '#protocol/member.ts';
import { formatScope } from '#protocol/scope.ts';
import { useRoster } from '../../data/queries.ts';
import { may, relationsToMember } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberEditor } from './member-editor.tsx';
import { MemberKindChoice } from './member-kind.tsx';
import { MemberRemoval } from './member-removal.tsx';
import { MemberSessions } from './member-sessions.tsx';
import { MemberTokens } from './member-tokens.tsx';
import { TotpEnrollment } from './totp-enrollment.tsx';
import { useMembers } from './use-members.ts';

/** What holders of members.manage get of a member; others get the public part. */
type Listed = Pick<Member, 'name' | 'role' | 'permissions'> & {
  [K in 'instructions' | 'rawPermissions' | 'totpEnrolled' | 'wakes']?: Member[K] | undefined;
};

function fullOf(member: Listed): Member | undefined {
  const { instructions, rawPermissions, totpEnrolled } = member;
  if (instructions === undefined || rawPermissions === undefined || totpEnrolled === undefined)
    return undefined;
  return { ...member, instructions, rawPermissions, totpEnrolled };
}

function MemberFacts({
  member,
  hasTotp,
  maySeeActivity,
}: {
  member: Listed;
  /** Undefined for members who may not know it. */
  hasTotp: boolean | undefined;
  maySeeActivity: boolean;
}) {
  const { data: roster } = useRoster();
  const presence = roster?.connected.find((one) => one.name === member.name);
  return (
    <>
      <Avatar name={member.name} />
      <KindBadge name={member.name} />
      <span className="text-soft">{member.role.title}</span>
      <PresenceMark presence={presence} />
      {presence?.run === undefined ? null : (
        <span className="text-soft">
          {presence.run.agent} runs on {presence.run.host} since <Time at={presence.run.since} />
        </span>
      )}
      {hasTotp === undefined ? null : (
        <Badge tone={hasTotp ? 'positive' : 'neutral'}>
          {hasTotp ? 'authenticator enrolled' : 'no authenticator'}
        </Badge>
      )}
      <Link
        to="/app/conversations/$scope"
        params={{ scope: formatScope({ kind: 'direct', member: member.name }) }}
        className="text-accent underline underline-offset-2"
      >
        Message
      </Link>
      {maySeeActivity ? (
        <Link
          to="/app/activity"
          search={{ member: member.name }}
          className="text-accent underline underline-offset-2"
        >
          Activity
        </Link>
      ) : null}
    </>
  );
}

function PublicRole({ member }: { member: Listed }) {
  return (
    <Section title="Role">
      <div className="p-4">
        <p className="font-medium">{member.role.title}</p>
        <p className="text-soft">{member.role.description}</p>
        <p className="mt-2 flex flex-wrap gap-1">
          {member.permissions.map((leaf) => (
            <Badge key={leaf}>{leaf}</Badge>
          ))}
        </p>
      </div>
    </Section>
  );
}

function Credentials({ member, isOwn, hasTotp }: { member: string; isOwn: boolean; hasTotp: boolean }) {
  const [isEnrolling, setEnrolling] = useState(false);
  return (
    <>
      <MemberSessions member={member} />
      <MemberTokens member={member} />
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
        isOpen={isEnrolling}
        onClose={() => setEnrolling(false)}
      />
    </>
  );
}

export function MemberScreen() {
  const { name } = useParams({ from: '/app/members/$name' });
  const self = useSelf().member;
  const relations = relationsToMember(name, self);
  const mayEdit = useMay('updateMember');
  const mayRemove = useMay('deleteMember');
  const maySeeActivity = useMay('activityRange', relations);
  const mayChangeCredentials = useMay('tokens', relations);
  const { data, error, refetch } = useMembers();
  const member = data?.members.find((one) => one.name === name);
  if (data === undefined)
    return (
      <Page title={name}>
        {error === null ? <ListSkeleton /> : <ErrorState error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  if (member === undefined)
    return (
      <Page title={name}>
        <EmptyState title={`There is no member named ${name}`}>
          <Link to="/app/admin/people" className="text-accent underline">
            All members
          </Link>
        </EmptyState>
      </Page>
    );
  const managers = data.members.filter(({ permissions }) => may('updateMember', permissions));
  const isLastManager = managers.length === 1 && managers[0]?.name === name;
  const full = fullOf(member);
  return (
    <Page
      title={member.name}
      toolbar={<MemberFacts member={member} hasTotp={full?.totpEnrolled} maySeeActivity={maySeeActivity} />}
    >
      <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
        {full !== undefined && mayEdit ? (
          <MemberEditor member={full} isLastManager={isLastManager} />
        ) : (
          <PublicRole member={member} />
        )}
        {mayEdit ? <MemberKindChoice name={name} /> : null}
        {mayChangeCredentials ? (
          <Credentials member={name} isOwn={name === self} hasTotp={full?.totpEnrolled ?? false} />
        ) : null}
        {mayRemove ? <MemberRemoval name={name} isLastManager={isLastManager} /> : null}
      </div>
    </Page>
  );
}
