/** The path of a folder, as links. */
import { Link } from '@tanstack/react-router';
import { cx } from '../../ui/class-names.ts';

export function Breadcrumbs({ path }: { path: string }) {
  const segments = path.split('/').filter(Boolean);
  return (
    <nav aria-label="Path" className="flex min-w-0 flex-wrap items-center gap-1 text-soft max-sm:basis-full">
      <Link to="/app/files" search={{ path: '/' }} className="hover:text-text">
        All homes
      </Link>
      {segments.map((segment, index) => {
        const to = `/${segments.slice(0, index + 1).join('/')}`;
        return (
          <span key={to} className="flex min-w-0 items-center gap-1">
            <span aria-hidden="true">/</span>
            <Link
              to="/app/files"
              search={{ path: to }}
              aria-current={index === segments.length - 1 ? 'page' : undefined}
              className={cx(
                'truncate hover:text-text',
                index === segments.length - 1 && 'font-semibold text-text',
              )}
            >
              {segment}
            </Link>
          </span>
        );
      })}
    </nav>
  );
}
