/** One token, run, or session in the list of machines: a row of a table, or on a phone an entry of a list. */
import { Link } from '@tanstack/react-router';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { KindBadge } from '../../ui/kind.tsx';
import { exactTime, Time } from '../../ui/time.tsx';
import { type Access, primaryName } from './devices.rules.ts';

/** In a list, the facts follow each other in one line, each with the name of its column if it needs one. */
function Fact({ name, children }: { name?: string | undefined; children: React.ReactNode }) {
  return (
    <td className="px-2 py-2 text-sm text-soft max-lg:inline-block max-lg:py-0.5 max-lg:pr-4 max-lg:pl-0">
      {name === undefined ? null : <span className="lg:hidden">{name} </span>}
      {children}
    </td>
  );
}

export function DeviceRow({ access, onRevoke }: { access: Access; onRevoke: () => void }) {
  const { name, memberName, kind, isPrimary, isCurrent, address } = access;
  const { createdAt, createdBy, lastUsedAt, expiresAt } = access;
  return (
    <tr className="border-b border-line last:border-0 max-lg:relative max-lg:block max-lg:px-4 max-lg:py-2">
      <td className="px-4 py-2 max-lg:block max-lg:py-0.5 max-lg:pr-24 max-lg:pl-0">
        <span className="flex flex-wrap items-center gap-2 font-medium [overflow-wrap:anywhere]">
          {name}
          {isPrimary && name !== primaryName ? <Badge>primary</Badge> : null}
          {isCurrent ? <Badge tone="positive">this session</Badge> : null}
        </span>
        {expiresAt === null ? null : (
          <span className="block text-sm text-soft">expires {exactTime(expiresAt)}</span>
        )}
      </td>
      <td className="px-2 py-2 max-lg:block max-lg:px-0 max-lg:py-0.5">
        <Link
          to="/app/admin/people"
          search={{ member: memberName }}
          className="inline-flex items-center gap-2 hover:underline"
        >
          <Avatar name={memberName} size="small" />
          <span className="flex min-w-0 flex-wrap items-center gap-x-2">
            <span className="wrap-anywhere">{memberName}</span>
            <KindBadge name={memberName} />
          </span>
        </Link>
      </td>
      <Fact>{kind}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
        {createdBy === null || createdBy === memberName ? null : (
          <span className="wrap-anywhere"> by {createdBy}</span>
        )}
      </Fact>
      <Fact name={lastUsedAt === null ? undefined : 'Last used'}>
        {lastUsedAt === null ? 'never used' : <Time at={lastUsedAt} />}
      </Fact>
      <Fact name="Address">
        {address === null ? (
          'unknown'
        ) : (
          <span className={cx('font-mono', address.includes(':') ? 'wrap-anywhere' : 'whitespace-nowrap')}>
            {address}
          </span>
        )}
      </Fact>
      <td className="px-4 py-2 text-right max-lg:absolute max-lg:top-2 max-lg:right-4 max-lg:p-0">
        {isCurrent ? null : (
          <Button
            size="small"
            look="danger"
            aria-label={`Revoke ${name} of ${memberName}`}
            onClick={onRevoke}
          >
            Revoke…
          </Button>
        )}
      </td>
    </tr>
  );
}
