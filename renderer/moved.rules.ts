/** The addresses of former screens, which people, messages, and links of devices may still hold. Pure. */

/** By the former part of the settings. */
const partByFormer: Record<string, string> = {
  about: '/app/me',
  notifications: '/app/me?part=notifications',
  access: '/app/admin/network',
  federation: '/app/admin/network',
  health: '/app/admin/health',
  retention: '/app/admin/backup',
  backups: '/app/admin/backup',
  key: '/app/admin/backup',
};

const placeByFormer: Record<string, string> = {
  members: 'people',
  devices: 'machines',
  audit: 'audit',
};

interface Former {
  pathname: string;
  search: { part?: unknown };
  searchStr: string;
}

/** Returns the address of the screen that has taken the place of a former one, with its filters. */
export function adminAddressOf({ pathname, search: { part }, searchStr }: Former): string {
  const [, , former = ''] = pathname.split('/');
  if (former === 'you') return `/app/me${searchStr}`;
  const place = placeByFormer[former];
  if (place !== undefined) return `/app/admin/${place}${searchStr}`;
  return (Object.hasOwn(partByFormer, String(part)) && partByFormer[String(part)]) || '/app/admin/team';
}
