/** The actions of the member on the open conversation. */
import { useNavigate } from '@tanstack/react-router';
import { Bell, BellOff, Ellipsis, Hash, Star, StarOff } from 'lucide-react';
import { parseScope } from '#protocol/scope.ts';
import { IconButton } from '../../ui/button.tsx';
import { openingLayer } from '../../ui/layers.ts';
import { Menu } from '../../ui/menu.tsx';
import { usePreferences } from './preferences.ts';

export function ConversationOptions({ scope }: { scope: string }) {
  const { muted, favorites, toggle } = usePreferences();
  const navigate = useNavigate({ from: '/app/conversations/$scope' });
  const parsed = parseScope(scope);
  const channel =
    parsed?.kind === 'general' ? 'general' : parsed?.kind === 'channel' ? parsed.channelId : undefined;
  const isMuted = muted.has(scope);
  const isFavorite = favorites.has(scope);
  return (
    <Menu
      trigger={
        <IconButton label="Options of this conversation">
          <Ellipsis />
        </IconButton>
      }
      items={[
        {
          label: isFavorite ? 'Remove from favorites' : 'Add to favorites',
          icon: isFavorite ? <StarOff /> : <Star />,
          onSelect: () => toggle('favorites', scope),
        },
        {
          label: isMuted ? 'Unmute' : 'Mute',
          icon: isMuted ? <Bell /> : <BellOff />,
          onSelect: () => toggle('muted', scope),
        },
        ...(channel === undefined
          ? []
          : [
              'separator' as const,
              {
                label: 'Channel settings',
                icon: <Hash />,
                onSelect: () =>
                  void navigate({ search: (search) => ({ ...search, channel }), ...openingLayer }),
              },
            ]),
      ]}
    />
  );
}
