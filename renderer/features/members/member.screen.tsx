/** One member: what it is, what it may, how it gets in. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import type { Member } from '#protocol/member.ts';
import { useBroker } from '../../data/broker.tsx';
import { useEdits } from '../../data/edits.ts';
import { keys } from '../../data/keys.ts';
import { useMay, useRoster, useSelf } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field, TextArea, TextInput } from '../../ui/field.tsx';
import { Overtaken } from '../../ui/overtaken.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, FormError, ListSkeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { MemberTokens } from './member-tokens.tsx';
import { useMembers } from './members.screen.tsx';
import { PermissionEditor } from './permission-editor.tsx';
import { TotpEnrolment } from './totp-enrolment.tsx';

interface Editable {
  title: string;
  description: string;
  instructions: string;
  permissions: string[];
}
const words: Record<keyof Editable, string> = {
  title: 'The role',
  description: 'What the role is about',
  instructions: 'Instructions',
  permissions: 'Permissions',
};

function Editor({ member, isLastManager }: { member: Member; isLastManager: boolean }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { value, set, changed, overtaken, sent } = useEdits<Editable>({
    title: member.role.title,
    description: member.role.description,
    instructions: member.instructions,
    permissions: member.rawPermissions,
  });
  const { title, description, instructions, permissions } = value;
  const save = useMutation({
    mutationFn: ({ now, edits }: { now: Member; edits: Partial<Editable> }) => {
      const { instructions, permissions, ...role } = edits;
      return client.call('updateMember', {
        params: { name: now.name },
        body: {
          ...(Object.keys(role).length > 0 && { role: { ...now.role, ...role } }),
          ...(instructions !== undefined && { instructions }),
          ...(permissions !== undefined && { permissions }),
        },
      });
    },
    onSuccess: async (_, { now, edits }) => {
      toast(`${now.name} is saved`);
      await cache.invalidateQueries({ queryKey: keys.members });
      sent(edits);
    },
  });
  return (
    <Section title="Role and permissions">
      <form
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ now: member, edits: changed });
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Role">
            <TextInput
              value={title}
              onChange={(event) => set('title', event.target.value)}
              maxLength={limits.roleTitle}
              required
            />
          </Field>
          <Field label="What the role is about">
            <TextInput
              value={description}
              onChange={(event) => set('description', event.target.value)}
              maxLength={limits.roleDescription}
            />
          </Field>
        </div>
        <Field label="Instructions" hint="Private: only this member and managers read them.">
          <TextArea
            value={instructions}
            onChange={(event) => set('instructions', event.target.value)}
            maxLength={limits.instructions}
            rows={6}
          />
        </Field>
        <PermissionEditor chosen={permissions} onChange={(next) => set('permissions', next)} />
        {isLastManager ? (
          <p className="rounded-md bg-info-soft px-3 py-2 text-info">
            {member.name} is the only one who may manage members. Give somebody else members.manage first: a
            team without a manager could never change again.
          </p>
        ) : null}
        <Overtaken fields={overtaken.map((field) => words[field])} />
        <FormError error={save.error} />
        <div className="flex justify-end">
          <Button
            type="submit"
            look="primary"
            isBusy={save.isPending}
            disabled={Object.keys(changed).length === 0}
          >
            Save
          </Button>
        </div>
      </form>
    </Section>
  );
}

function Removal({ name, isLastManager }: { name: string; isLastManager: boolean }) {
  const { client } = useBroker();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.call('deleteMember', { params: { name } }),
    onSuccess: () => {
      setOpen(false);
      toast(`${name} has left the team`);
      void navigate({ to: '/app/members' });
    },
  });
  return (
    <Section title="Leave the team">
      <div className="flex flex-wrap items-center justify-between gap-3 p-4">
        <p className="max-w-prose text-soft">
          Its tokens and sessions end within a second, its open objectives become blocked, and its name is
          never given again. Its messages and files stay.
        </p>
        <Button look="danger" disabled={isLastManager} onClick={() => setOpen(true)}>
          Delete {name}
        </Button>
      </div>
      <Confirm
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          if (remove.isError) remove.reset();
        }}
        title={`Delete ${name}?`}
        consequence="This cannot be undone, and nobody can ever be called that again."
        act={`Delete ${name}`}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <FormError error={remove.error} />
      </Confirm>
    </Section>
  );
}

/** What managers get of a member; others get the public part. */
type Listed = Pick<Member, 'name' | 'role' | 'permissions'> & {
  [K in 'instructions' | 'rawPermissions' | 'totpEnrolled']?: Member[K] | undefined;
};

function fullOf(member: Listed): Member | undefined {
  const { instructions, rawPermissions, totpEnrolled } = member;
  if (instructions === undefined || rawPermissions === undefined || totpEnrolled === undefined)
    return undefined;
  return { ...member, instructions, rawPermissions, totpEnrolled };
}

export function MemberScreen() {
  const { name } = useParams({ from: '/app/members/$name' });
  const self = useSelf().member;
  const isManager = useMay('members.manage');
  const maySeeActivity = useMay('activity.read');
  const { data, error, refetch } = useMembers();
  const { data: roster } = useRoster();
  const [isEnrolling, setEnrolling] = useState(false);
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
          <Link to="/app/members" className="text-accent underline">
            All members
          </Link>
        </EmptyState>
      </Page>
    );
  const managers = data.members.filter(({ permissions }) => permissions.includes('members.manage'));
  const isLastManager = managers.length === 1 && managers[0]?.name === name;
  const full = fullOf(member);
  return (
    <Page
      title={member.name}
      toolbar={
        <>
          <Avatar name={member.name} />
          <span className="text-soft">{member.role.title}</span>
          <PresenceMark presence={roster?.connected.find((one) => one.name === name)} />
          {full === undefined ? null : (
            <Badge tone={full.totpEnrolled ? 'positive' : 'neutral'}>
              {full.totpEnrolled ? 'authenticator bound' : 'no authenticator'}
            </Badge>
          )}
          <Link
            to="/app/conversations/$scope"
            params={{ scope: `dm:${name}` }}
            className="text-accent underline underline-offset-2"
          >
            Message
          </Link>
          {maySeeActivity || name === self ? (
            <Link
              to="/app/activity"
              search={{ member: name }}
              className="text-accent underline underline-offset-2"
            >
              Activity
            </Link>
          ) : null}
        </>
      }
    >
      <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
        {full !== undefined && isManager ? (
          <Editor member={full} isLastManager={isLastManager} />
        ) : (
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
        )}
        {isManager || name === self ? (
          <>
            <MemberTokens member={name} />
            <Section title="Authenticator">
              <div className="flex flex-wrap items-center justify-between gap-3 p-4">
                <p className="text-soft">
                  Six-digit codes of an authenticator log a person in to this console.
                </p>
                <Button onClick={() => setEnrolling(true)}>
                  {full?.totpEnrolled ? 'Bind another' : 'Bind an authenticator'}
                </Button>
              </div>
            </Section>
            <TotpEnrolment member={name} isOpen={isEnrolling} onClose={() => setEnrolling(false)} />
          </>
        ) : null}
        {isManager ? <Removal name={name} isLastManager={isLastManager} /> : null}
      </div>
    </Page>
  );
}
