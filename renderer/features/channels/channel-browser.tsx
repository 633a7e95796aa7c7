/** All channels that the member can see, to open, join, and create them. */
import { Plus } from 'lucide-react';
import { useChannels } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { SearchInput } from '../../ui/field.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { ChannelRow } from './channel-row.tsx';

export interface ChannelBrowserProps {
  filter: string;
  onFilter: (text: string) => void;
  onCreate: () => void;
}

export function ChannelBrowser({ filter, onFilter, onCreate }: ChannelBrowserProps) {
  const { data, error, refetch } = useChannels();
  const found = (data?.channels ?? []).filter(({ slug }) => slug.includes(filter.toLowerCase()));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <SearchInput label="Filter channels" value={filter} onText={onFilter} className="w-56" />
        <Button onClick={onCreate}>
          <Plus className="size-4" />
          New channel
        </Button>
      </div>
      {data === undefined ? <NotLoaded error={error} onRetry={refetch} /> : null}
      {data !== undefined && found.length === 0 ? <EmptyState title="No channel with that name" /> : null}
      <ul aria-label="Channels" className="-mx-5">
        {found.map((one) => (
          <ChannelRow key={one.id} channel={one} />
        ))}
      </ul>
    </div>
  );
}
