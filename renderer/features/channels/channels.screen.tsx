/** Channels: browse, create, rename, archive, members and roles. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Hash, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ChannelMember, ChannelSummary } from '#protocol/channel.ts';
import { limits } from '#protocol/limits.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useChannels, useMay, useRoster, useSelf } from '../../data/queries.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, inputClass, SearchInput, SelectInput, TextInput } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, FormError, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast.tsx';

const slugPattern = '[a-z0-9]+(-[a-z0-9]+)*';

function useRefresh() {
  const cache = useQueryClient();
  return () => {
    void cache.invalidateQueries({ queryKey: keys.channels });
    void cache.invalidateQueries({ queryKey: ['channel'] });
  };
}

/** Creating, and renaming. */
function SlugForm({
  initial,
  act,
  run,
  onClose,
}: {
  initial: string;
  act: string;
  run: (slug: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [slug, setSlug] = useState(initial);
  const refresh = useRefresh();
  const submit = useMutation({
    mutationFn: () => run(slug),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit.mutate();
      }}
    >
      <Field label="Name" hint="Lowercase letters, digits and single dashes.">
        <TextInput
          value={slug}
          onChange={(event) => setSlug(event.target.value)}
          maxLength={limits.channelSlug}
          pattern={slugPattern}
          title="lowercase letters, digits and single dashes"
          autoCapitalize="none"
          required
        />
      </Field>
      <FormError error={submit.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={submit.isPending}>
          {act}
        </Button>
      </div>
    </form>
  );
}

function MemberRow({
  slug,
  member,
  mayManage,
  isArchived,
}: {
  slug: string;
  member: ChannelMember;
  mayManage: boolean;
  isArchived: boolean;
}) {
  const { client } = useBroker();
  const self = useSelf().member;
  const refresh = useRefresh();
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
      <span className="text-sm text-faint max-sm:hidden">
        <Time at={member.joinedAt} />
      </span>
      {mayManage && !isArchived ? (
        <select
          aria-label={`Role of ${member.member}`}
          value={member.role}
          disabled={setRole.isPending}
          onChange={(event) => setRole.mutate(event.target.value as 'admin' | 'member')}
          className={cx(inputClass, 'h-7 w-28 py-0 text-sm max-sm:flex-1')}
        >
          <option value="admin">admin</option>
          <option value="member">member</option>
        </select>
      ) : (
        <Badge>{member.role}</Badge>
      )}
      {mayManage || isSelf ? (
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

function AddMember({ slug, present }: { slug: string; present: readonly ChannelMember[] }) {
  const { client } = useBroker();
  const { data: roster } = useRoster();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: () => client.call('joinChannel', { params: { slug }, body: { member: name } }),
    onSuccess: () => {
      setName('');
      refresh();
    },
  });
  const inside = new Set(present.map(({ member }) => member));
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <div className="flex items-end gap-2">
        <div className="flex-1">
          <Field label="Add a member">
            <SelectInput value={name} onChange={(event) => setName(event.target.value)} required>
              <option value="">Choose a member</option>
              {(roster?.teammates ?? [])
                .filter((one) => !inside.has(one.name))
                .map((one) => (
                  <option key={one.name}>{one.name}</option>
                ))}
            </SelectInput>
          </Field>
        </div>
        <Button type="submit" isBusy={add.isPending}>
          Add
        </Button>
      </div>
      <FormError error={add.error} />
    </form>
  );
}

function Detail({ slug }: { slug: string }) {
  const { client } = useBroker();
  const isManager = useMay('members.manage');
  const refresh = useRefresh();
  const { data, error } = useQuery({
    queryKey: keys.channel(slug),
    queryFn: () => client.call('channel', { params: { slug } }),
  });
  const [act, setAct] = useState<'rename' | 'archive' | null>(null);
  const archive = useMutation({
    mutationFn: () => client.call('archiveChannel', { params: { slug } }),
    onSuccess: () => {
      refresh();
      setAct(null);
    },
  });
  if (data === undefined) return error === null ? <ListSkeleton rows={3} /> : <ErrorState error={error} />;
  const { channel, members } = data;
  const isGeneral = channel.id === 'general';
  const isArchived = channel.archivedAt !== null;
  const mayManage = !isGeneral && (isManager || channel.myRole === 'admin');
  if (act === 'rename')
    return (
      <SlugForm
        initial={slug}
        act="Rename"
        run={(next) => client.call('renameChannel', { params: { slug }, body: { slug: next } })}
        onClose={() => setAct(null)}
      />
    );
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        {isGeneral
          ? 'Everybody on the team is in it, always.'
          : `Made by ${channel.createdBy}. ${isArchived ? 'It is archived: readable, closed for posts.' : ''}`}
      </p>
      <ul className="divide-y divide-line">
        {members.map((member) => (
          <MemberRow
            key={member.member}
            slug={slug}
            member={member}
            mayManage={mayManage}
            isArchived={isArchived}
          />
        ))}
      </ul>
      {mayManage && !isArchived ? (
        <>
          <AddMember slug={slug} present={members} />
          <div className="flex gap-2 border-t border-line pt-4">
            <Button onClick={() => setAct('rename')}>Rename</Button>
            <Button look="danger" onClick={() => setAct('archive')}>
              Archive #{slug}
            </Button>
          </div>
        </>
      ) : null}
      <Confirm
        isOpen={act === 'archive'}
        onClose={() => {
          setAct(null);
          if (archive.isError) archive.reset();
        }}
        title={`Archive #${slug}?`}
        consequence="Nobody can post in it again, and its name stays taken. What was said stays readable for its members."
        act={`Archive #${slug}`}
        isBusy={archive.isPending}
        onConfirm={() => archive.mutate()}
      >
        <FormError error={archive.error} />
      </Confirm>
    </div>
  );
}

function ChannelRow({ channel, onOpen }: { channel: ChannelSummary; onOpen: () => void }) {
  const { client } = useBroker();
  const self = useSelf().member;
  const refresh = useRefresh();
  const { id, slug, joined, myRole, memberCount, archivedAt } = channel;
  const join = useMutation({
    mutationFn: () => client.call('joinChannel', { params: { slug }, body: { member: self } }),
    onSuccess: refresh,
    onError: toastError,
  });
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line bg-surface px-4 py-2 hover:bg-hover">
      <button type="button" onClick={onOpen} className="flex min-w-40 flex-1 items-center gap-2 text-left">
        <Hash className="size-4 text-faint" />
        <span className="font-medium">{slug}</span>
        {archivedAt === null ? null : <Badge>archived</Badge>}
        {myRole === 'admin' ? <Badge tone="info">admin</Badge> : null}
      </button>
      <span className="text-sm text-soft">
        {memberCount} {memberCount === 1 ? 'member' : 'members'}
      </span>
      {joined ? (
        <Link
          to="/app/conversations/$scope"
          params={{ scope: id === 'general' ? 'general' : `chan:${id}` }}
          className="inline-flex h-7 items-center rounded-md border border-line-strong px-2 text-sm font-medium hover:bg-hover"
        >
          Open
        </Link>
      ) : archivedAt === null ? (
        <Button size="small" isBusy={join.isPending} onClick={() => join.mutate()}>
          Join
        </Button>
      ) : null}
    </li>
  );
}

export function ChannelsScreen() {
  const { q, create = false, channel } = useSearch({ from: '/app/channels' });
  const navigate = useNavigate({ from: '/app/channels' });
  const { client } = useBroker();
  const { data, error, refetch } = useChannels();
  const all = data?.channels ?? [];
  const found = all.filter(({ slug }) => slug.includes((q ?? '').toLowerCase()));
  const opened = all.find(({ id }) => id === channel);
  const set = (over: {
    q?: string | undefined;
    create?: boolean | undefined;
    channel?: string | undefined;
  }) => void navigate({ search: { q, create, channel, ...over }, replace: true });
  return (
    <Page
      title="Channels"
      actions={
        <Button look="primary" onClick={() => set({ create: true })}>
          <Plus className="size-4" />
          New channel
        </Button>
      }
      toolbar={
        <SearchInput
          label="Filter channels"
          value={q ?? ''}
          onText={(text) => set({ q: text || undefined })}
          className="w-56"
        />
      }
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <ListSkeleton /> : null}
      {data !== undefined && found.length === 0 ? (
        <EmptyState
          title="No channel by that name"
          action={<Button onClick={() => set({ create: true })}>New channel</Button>}
        />
      ) : null}
      <ul aria-label="Channels">
        {found.map((one) => (
          <ChannelRow key={one.id} channel={one} onOpen={() => set({ channel: one.id })} />
        ))}
      </ul>
      <Dialog
        isOpen={create}
        onClose={() => set({ create: undefined })}
        title="New channel"
        description="You become its admin; others can join."
      >
        <SlugForm
          initial=""
          act="Create channel"
          run={(slug) => client.call('createChannel', { body: { slug } })}
          onClose={() => set({ create: undefined })}
        />
      </Dialog>
      <Dialog
        isOpen={opened !== undefined}
        onClose={() => set({ channel: undefined })}
        title={`#${opened?.slug ?? ''}`}
      >
        {opened === undefined ? null : <Detail key={opened.id} slug={opened.slug} />}
      </Dialog>
    </Page>
  );
}
