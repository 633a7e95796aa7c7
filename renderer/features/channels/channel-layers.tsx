/** The dialogs of channels over the conversations: all channels, a new one, and the settings of one. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { channelScope, formatScope } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { useChannels } from '../../data/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { openingLayer, useClosingLayer } from '../../ui/layers.ts';
import { askToWrite } from '../conversations/asked-to-write.ts';
import { ChannelBrowser } from './channel-browser.tsx';
import { ChannelDetail } from './channel-detail.tsx';
import { SlugForm } from './slug-form.tsx';

export function ChannelLayers() {
  const from = '/app/conversations/$scope';
  const { browse = false, q = '', create = false, channel } = useSearch({ from });
  const navigate = useNavigate({ from });
  const { client } = useBroker();
  const { data } = useChannels();
  const opened = data?.channels.find(({ id }) => id === channel);
  const close = useClosingLayer();
  const closeTop = () =>
    close(
      () =>
        void navigate({
          search: (search) => ({
            ...search,
            create: undefined,
            channel: undefined,
            ...(!create && opened === undefined && { browse: undefined, q: undefined }),
          }),
          replace: true,
        }),
    );
  return (
    <>
      <Dialog
        isOpen={browse && !create && opened === undefined}
        onClose={closeTop}
        title="Channels"
        description="Everyone can join a channel that is neither private nor archived."
      >
        <ChannelBrowser
          filter={q}
          onFilter={(text) =>
            void navigate({
              search: (search) => ({ ...search, q: text || undefined }),
              state: (before) => before,
              replace: true,
            })
          }
          onCreate={() =>
            void navigate({ search: (search) => ({ ...search, create: true }), ...openingLayer })
          }
        />
      </Dialog>
      <Dialog
        isOpen={create}
        onClose={closeTop}
        title="New channel"
        description="You become its admin. Other members can join unless it is private."
      >
        <SlugForm
          initial=""
          act="Create channel"
          asksPrivacy
          run={(slug, isPrivate) =>
            client.call('createChannel', { body: { slug, ...(isPrivate && { private: true }) } })
          }
          onDone={({ id }) => {
            const scope = formatScope(channelScope(id));
            askToWrite(scope);
            void navigate({ params: { scope }, search: {}, replace: true });
          }}
          onClose={closeTop}
        />
      </Dialog>
      <Dialog isOpen={opened !== undefined && !create} onClose={closeTop} title={`#${opened?.slug ?? ''}`}>
        {opened === undefined ? null : <ChannelDetail key={opened.id} slug={opened.slug} />}
      </Dialog>
    </>
  );
}
