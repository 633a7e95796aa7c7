/** One channel in the list. */
import { Link } from '@tanstack/react-router';
import { Hash } from 'lucide-react';
import type { ChannelSummary } from '#protocol/channel.ts';
import { counted } from '#protocol/counted.ts';
import { channelScope, formatScope } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { openingLayer } from '../../ui/layers.ts';
import { PrivateMark } from '../../ui/private-mark.tsx';
import { toastError } from '../../ui/toast.ts';
import { useRefreshChannels } from './refresh-channels.ts';

export function ChannelRow({ channel }: { channel: ChannelSummary }) {
  const { client } = useBroker();
  const self = useSelf().member;
  const refresh = useRefreshChannels();
  const { id, slug, joined, memberCount, archivedAt } = channel;
  const join = useMutation({
    mutationFn: () => client.call('joinChannel', { params: { slug }, body: { member: self } }),
    onSuccess: refresh,
    onError: toastError,
  });
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-3 border-b border-line px-5 py-2 hover:bg-hover">
      <Link
        to="."
        search={(search) => ({ ...search, channel: id })}
        {...openingLayer}
        className="flex min-w-48 flex-1 items-center gap-2"
      >
        <Hash className="size-4 shrink-0 text-faint" />
        <span className="font-medium [overflow-wrap:anywhere]">{slug}</span>
        {channel.private ? <PrivateMark /> : null}
        {archivedAt === null ? null : <Badge>archived</Badge>}
      </Link>
      <span className="text-sm text-soft">{counted(memberCount, 'member')}</span>
      {joined ? (
        <Link
          to="/app/conversations/$scope"
          params={{ scope: formatScope(channelScope(id)) }}
          className={buttonClass('secondary', 'small')}
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
