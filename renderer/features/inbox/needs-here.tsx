/** One line that says whether the inbox has something about the members or the objectives that a screen shows. */
import { Link } from '@tanstack/react-router';
import { counted } from '#protocol/counted.ts';
import type { InboxItem } from '#protocol/inbox.ts';
import { isAbout } from '#protocol/inbox-about.ts';
import { isInTrouble } from '#protocol/presence-state.ts';
import { useRoster } from '../../data/queries.ts';
import { linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';
import { needsHere } from './needs-here.rules.ts';
import { useInbox } from './use-inbox.ts';

interface NeedsHereProps {
  /** The members that the screen shows; undefined until they are known. */
  names: readonly string[] | undefined;
  /** The screen says that one of them may be stuck. */
  hasSigns?: boolean;
  /** Said if there is no need. */
  nothing?: string;
  className?: string;
}

/** The line about members. */
export function NeedsHere({ names, hasSigns = false, nothing, className }: NeedsHereProps) {
  const { data: roster } = useRoster();
  const isInTroubleHere = roster?.connected.some((one) => names?.includes(one.name) && isInTrouble(one));
  const onlyName = names?.length === 1 ? names[0] : undefined;
  return (
    <NeedsLine
      isHere={names && ((item) => names.some((name) => isAbout(item, name)))}
      hasSigns={hasSigns || isInTroubleHere !== false}
      nothing={nothing ?? (onlyName === undefined ? undefined : `Your inbox has nothing about ${onlyName}.`)}
      className={className}
    />
  );
}

interface NeedsLineProps {
  /** Undefined until the screen knows what it shows. */
  isHere: ((item: InboxItem) => boolean) | undefined;
  hasSigns: boolean;
  nothing?: string | undefined;
  className?: string | undefined;
}

/** Says nothing while the needs are not known. */
export function NeedsLine({
  isHere,
  hasSigns,
  nothing = 'Nothing here needs you.',
  className,
}: NeedsLineProps) {
  const { data: items, isError: hasFailed } = useInbox();
  const needs = needsHere({ items, isHere, hasFailed, hasSigns });
  if (needs === null) return null;
  const [first, ...others] = needs;
  return (
    <p className={cx('text-sm wrap-anywhere text-soft', className)}>
      {first === undefined ? (
        nothing
      ) : (
        <>
          {counted(needs.length, 'item')} here {others.length === 0 ? 'needs' : 'need'} you:{' '}
          <Link to="/app" search={{ item: first.key }} className={linkClass}>
            {first.title}
            {first.scope === null ? null : (
              <>
                {' '}
                <ShownScope scope={first.scope} />
              </>
            )}
          </Link>
          {others.length === 0 ? null : (
            <>
              , and{' '}
              <Link to="/app" className={linkClass}>
                {others.length} more in the inbox
              </Link>
            </>
          )}
          .
        </>
      )}
    </p>
  );
}
