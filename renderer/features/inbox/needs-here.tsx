/** One line that says whether the inbox has something about the members that a screen shows. */
import { Link } from '@tanstack/react-router';
import { counted } from '#protocol/counted.ts';
import { isInTrouble } from '#protocol/presence-state.ts';
import { useRoster } from '../../data/queries.ts';
import { cx } from '../../ui/class-names.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';
import { needsHere } from './needs-here.rules.ts';
import { useInbox } from './use-inbox.ts';

interface NeedsHereProps {
  /** Undefined until they are known. */
  names: readonly string[] | undefined;
  /** The screen says that one of them may be stuck. */
  hasSigns?: boolean;
  className?: string;
}

/** Says nothing while that is not known. */
export function NeedsHere({ names, hasSigns = false, className }: NeedsHereProps) {
  const { data: items, isError } = useInbox();
  const { data: roster } = useRoster();
  const isInTroubleHere = roster?.connected.some((one) => names?.includes(one.name) && isInTrouble(one));
  const needs = needsHere({
    ...{ items, names, hasFailed: isError },
    hasTrouble: hasSigns || isInTroubleHere !== false,
  });
  if (needs === null) return null;
  const [first, ...others] = needs;
  return (
    <p className={cx('text-sm wrap-anywhere text-soft', className)}>
      {first === undefined ? (
        'Nothing here needs you.'
      ) : (
        <>
          {counted(needs.length, 'item')} {others.length === 0 ? 'needs' : 'need'} you:{' '}
          <Link to="/app" search={{ item: first.key }} className="text-accent underline underline-offset-2">
            {first.title}
            {first.scope === null ? null : (
              <>
                {' '}
                <ShownScope scope={first.scope} />
              </>
            )}
          </Link>
          {others.length === 0 ? '.' : `, and ${others.length} more in the inbox.`}
        </>
      )}
    </p>
  );
}
