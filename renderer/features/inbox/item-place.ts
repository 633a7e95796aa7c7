/** The screen on which an item of the inbox is dealt with. */
import type { LinkProps } from '@tanstack/react-router';
import type { InboxItem } from '#protocol/inbox.ts';

export function placeOf({ place, scope }: InboxItem): Pick<LinkProps, 'to' | 'params' | 'search'> {
  switch (place.kind) {
    case 'conversation':
      return {
        to: '/app/conversations/$scope',
        params: { scope: place.scope },
        search: place.message === undefined ? {} : { message: place.message },
      };
    case 'objective':
      return { to: '/app/objectives/$id', params: { id: place.id } };
    case 'member':
      return { to: '/app/admin/people', search: { member: place.name } };
    case 'device':
      return { to: '/app/admin/machines', search: { code: place.code } };
    case 'settings':
      return { to: '/app/admin/health' };
    case 'held':
      return { to: '/app/conversations/$scope', params: { scope: scope ?? 'general' } };
  }
}
