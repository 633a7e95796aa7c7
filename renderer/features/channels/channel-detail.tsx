/** One channel: its members, and the actions of its admins. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { relationsToChannel } from '#protocol/channel-access.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { may, relationsToMember } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Meanwhile, mayNot, withdrawn } from '../../ui/meanwhile.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { AddMember, ChannelMemberRow } from './channel-members.tsx';
import { ChannelPrivacy } from './channel-privacy.tsx';
import { useRefreshChannels } from './refresh-channels.ts';
import { SlugForm } from './slug-form.tsx';

export function ChannelDetail({ slug }: { slug: string }) {
  const { client } = useBroker();
  const self = useSelf();
  const refresh = useRefreshChannels();
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
  const relations = relationsToChannel(channel.myRole);
  const mayManage = !isGeneral && may('renameChannel', self.permissions, relations);
  const news = mayManage ? (isArchived ? 'This channel is archived.' : undefined) : mayNot;
  const mayRemove = (name: string) =>
    !isGeneral &&
    may('leaveChannel', self.permissions, [...relations, ...relationsToMember(name, self.member)]);
  if (act === 'rename')
    return (
      <div className="flex flex-col gap-4">
        <SlugForm
          initial={slug}
          act="Rename"
          run={(next) => client.call('renameChannel', { params: { slug }, body: { slug: next } })}
          onClose={() => setAct(null)}
        />
        <Meanwhile sentences={mayManage ? (isArchived ? ['This channel is archived.'] : []) : [withdrawn]} />
      </div>
    );
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        {isGeneral
          ? 'Every member of the team is always in this channel.'
          : `Created by ${channel.createdBy}. ${isArchived ? 'This channel is archived. You can read it, but not post to it.' : ''}`}
      </p>
      <ul className="divide-y divide-line">
        {members.map((member) => (
          <ChannelMemberRow
            key={member.member}
            slug={slug}
            member={member}
            mayManage={mayManage}
            mayRemove={mayRemove(member.member)}
            isArchived={isArchived}
          />
        ))}
      </ul>
      {news === undefined ? <AddMember slug={slug} present={members} /> : null}
      <ChannelPrivacy slug={slug} isPrivate={channel.private === true} news={news} />
      {news === undefined ? (
        <div className="flex gap-2 border-t border-line pt-4">
          <Button onClick={() => setAct('rename')}>Rename</Button>
          <Button look="danger" onClick={() => setAct('archive')}>
            Archive #{slug}
          </Button>
        </div>
      ) : null}
      <Confirm
        isOpen={act === 'archive'}
        onClose={() => setAct(null)}
        title={`Archive #${slug}?`}
        consequence="No one can post in the channel again, and its name stays taken. Its members can still read the messages."
        act={`Archive #${slug}`}
        change={archive}
        news={news}
        onConfirm={() => archive.mutate()}
      />
    </div>
  );
}
