/** Admin: everything that somebody looks after now and then, with one menu over all of its parts. */
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { usePendingEnrollments } from '../../data/queries.ts';
import { may } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { CountBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { Page } from '../../ui/page.tsx';
import { useTyped } from '../../ui/typed.ts';
import { type AdminPart, adminParts, shownParts } from './admin-parts.ts';
import { conditionsOf } from './needs-attention.rules.ts';
import { useHealth } from './use-health.ts';

function useShownParts() {
  const { permissions } = useSelf();
  return shownParts((operation) => may(operation, permissions));
}

/** The devices that the reader may approve. */
function WaitingDevices() {
  const { data } = usePendingEnrollments();
  return <CountBadge count={data?.enrollments.length ?? 0} look="personal" name="Devices that wait" />;
}

function HealthConditions() {
  const { facts } = useHealth({ isCount: true });
  const count = facts === undefined ? 0 : conditionsOf(facts).length;
  return <CountBadge count={count} look="personal" name="Needs attention" />;
}

/** A count of what the part has to act on. */
function Waiting({ part }: { part: AdminPart }) {
  if (part.to === '/app/admin/machines') return <WaitingDevices />;
  return part.to === '/app/admin/health' ? <HealthConditions /> : null;
}

export function AdminScreen() {
  // The address changes before the part does.
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath });
  const shown = useShownParts();
  const typed = useTyped();
  const part = adminParts.find(({ to }) => to === path);
  const isKept = part?.hasForm === true && typed.isChanged();
  if (part !== undefined && !shown.includes(part) && !isKept) return <Navigate to="/app/admin" replace />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <nav
        aria-label="Admin"
        className="flex h-12 shrink-0 gap-5 overflow-x-auto overflow-y-hidden border-b border-line bg-surface px-4 max-md:hidden"
      >
        {shown.map((one) => (
          <Link
            key={one.to}
            to={one.to}
            aria-current={one === part ? 'page' : undefined}
            className={cx(
              'flex shrink-0 items-center gap-1.5 border-b-2 px-0.5 -outline-offset-2',
              one === part
                ? 'border-accent font-medium text-text'
                : 'border-transparent text-soft hover:text-text',
            )}
          >
            {one.label}
            <Waiting part={one} />
          </Link>
        ))}
      </nav>
      <div className="min-h-0 flex-1" {...typed.watch}>
        <Outlet />
      </div>
    </div>
  );
}

/** On a phone, the parts as a list. If the menu is shown, the first part takes the place of the list. */
export function AdminIndex() {
  const shown = useShownParts();
  if (matchMedia('(min-width: 48rem)').matches) return <Navigate to="/app/admin/people" replace />;
  return (
    <Page title="Admin">
      <ul>
        {shown.map((part) => (
          <li key={part.to} className="border-b border-line">
            <Link
              to={part.to}
              className="flex min-h-14 items-center gap-3 px-4 py-2 -outline-offset-2 hover:bg-hover"
            >
              <span className="flex-1">
                <span className="block font-medium">{part.label}</span>
                <span className="block text-sm text-soft">{part.words}</span>
              </span>
              <Waiting part={part} />
              <ChevronRight className="size-4 text-faint" aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}
