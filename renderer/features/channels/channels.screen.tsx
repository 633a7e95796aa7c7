/** Channels: browse, create, rename, and archive them, and manage members and roles. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useBroker } from '../../data/broker.tsx';
import { useChannels } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { ChannelDetail } from './channel-detail.tsx';
import { ChannelRow } from './channel-row.tsx';
import { SlugForm } from './slug-form.tsx';

export function ChannelsScreen() {
  const { q, create = false, channel } = useSearch({ from: '/app/channels' });
  const navigate = useNavigate({ from: '/app/channels' });
  const { client } = useBroker();
  const { data, error, refetch } = useChannels();
  const all = data?.channels ?? [];
  const found = all.filter(({ slug }) => slug.includes((q ?? '').toLowerCase()));
  const opened = all.find(({ id }) => id === channel);
  const close = useClosingLayer();
  const openForm = () => void navigate({ search: { q, create: true }, ...openingLayer });
  const closeLayer = () => close(() => void navigate({ search: { q }, replace: true }));
  return (
    <Page
      title="Channels"
      actions={
        <Button look="primary" onClick={openForm}>
          <Plus className="size-4" />
          New channel
        </Button>
      }
      toolbar={
        <SearchInput
          label="Filter channels"
          value={q ?? ''}
          onText={(text) => void navigate({ search: { q: text || undefined }, replace: true })}
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
          title="No channel with that name"
          action={<Button onClick={openForm}>New channel</Button>}
        />
      ) : null}
      <ul aria-label="Channels">
        {found.map((one) => (
          <ChannelRow key={one.id} channel={one} />
        ))}
      </ul>
      <Dialog
        isOpen={create}
        onClose={closeLayer}
        title="New channel"
        description="You become its admin. Other members can join."
      >
        <SlugForm
          initial=""
          act="Create channel"
          run={(slug) => client.call('createChannel', { body: { slug } })}
          onClose={closeLayer}
        />
      </Dialog>
      <Dialog isOpen={opened !== undefined} onClose={closeLayer} title={`#${opened?.slug ?? ''}`}>
        {opened === undefined ? null : <ChannelDetail key={opened.id} slug={opened.slug} />}
      </Dialog>
    </Page>
  );
}
