/** The members of a channel: their roles, adding, and removing. */
import { useState } from 'react';
import type { ChannelMember } from '#protocol/channel.ts';
import { useBroker } from '../../data/broker.tsx';
import { useRoster } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm } from '../../ui/field.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { Select } from '../../ui/select.tsx';
import { FormError } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast.ts';
import { useRefreshChannels } from './refresh-channels.ts';

const roles = [
  { value: 'admin', text: 'admin' },
  { value: 'member', text: 'member' },
] as const;

export function ChannelMemberRow({
  slug,
  member,
  mayManage,
  mayRemove,
  isArchived,
}: {
  slug: string;
  member: ChannelMember;
  mayManage: boolean;
  mayRemove: boolean;
  isArchived: boolean;
}) {
  const { client } = useBroker();
  const self = useSelf().member;
  const refresh = useRefreshChannels();
  const setRole = useMutation({
    mutationFn: (role: 'admin' | 'member') =>
      client.call('joinChannel', { params: { slug }, body: { member: member.member, role } }),
    onSuccess: refresh,
    onError: toastError,
  });
  const remove = useMutation({
    mutationFn: () => client.call('leaveChannel', { params: { slug, name: member.member } }),
    onSuccess: refresh,
    onError: toastError,
  });
  const isSelf = member.member === self;
  return (
    <li className="flex items-center gap-x-3 gap-y-1 py-1.5 max-sm:flex-wrap">
      <Avatar name={member.member} size="small" />
      <span className="min-w-0 flex-1 truncate max-sm:basis-3/4">
        {member.member}
        {isSelf ? ' (you)' : ''}
      </span>
      <KindBadge name={member.member} />
      <span className="text-sm text-faint max-sm:hidden">
        joined <Time at={member.joinedAt} />
      </span>
      {mayManage && !isArchived ? (
        <Select
          label={`Role of ${member.member}`}
          value={member.role}
          options={roles}
          onChoose={setRole.mutate}
          isDisabled={setRole.isPending}
          className="w-28 max-sm:min-w-28 max-sm:flex-1"
        />
      ) : (
        <Badge>{member.role}</Badge>
      )}
      {mayRemove ? (
        <Button
          size="small"
          look="quiet"
          className="w-20"
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {isSelf ? 'Leave' : 'Remove'}
        </Button>
      ) : null}
    </li>
  );
}

export function AddMember({ slug, present }: { slug: string; present: readonly ChannelMember[] }) {
  const { client } = useBroker();
  const { data: roster } = useRoster();
  const refresh = useRefreshChannels();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: () => client.call('joinChannel', { params: { slug }, body: { member: name } }),
    onSuccess: () => {
      setName('');
      refresh();
    },
  });
  const inside = new Set(present.map(({ member }) => member));
  const options = useMemberOptions((roster?.teammates ?? []).filter((one) => !inside.has(one.name)));
  return (
    <FieldForm className="flex flex-col gap-2" onSubmit={() => add.mutate()}>
      <div className="flex items-end gap-2">
        <div className="flex-1">
          <Field label="Add a member">
            <Select value={name} options={options} onChoose={setName} placeholder="Choose a member" />
          </Field>
        </div>
        <Button type="submit" isBusy={add.isPending}>
          Add
        </Button>
      </div>
      <FormError error={add.error} />
    </FieldForm>
  );
}
