/** The frame of a part of Admin. Its title is hidden beside a toolbar, except on a phone, where it has the way back to the list. */
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../ui/class-names.ts';
import { useDocumentTitle } from '../../ui/document-title.ts';
import { scrollable } from '../../ui/scrollable.ts';

interface AdminPageProps {
  title: string;
  toolbar?: ReactNode;
  actions?: ReactNode;
  /** An opened item takes the place of the list on a narrow screen. */
  isCovered?: boolean;
  children: ReactNode;
}

export function AdminPage({ title, toolbar, actions, isCovered = false, children }: AdminPageProps) {
  useDocumentTitle(title);
  const hasBar = toolbar !== undefined || actions !== undefined;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header
        className={
          isCovered
            ? 'sr-only'
            : cx(
                'flex min-h-12 shrink-0 items-center gap-1 border-b border-line bg-surface px-2 md:px-4',
                hasBar && 'md:sr-only',
              )
        }
      >
        <Link
          to="/app/admin"
          aria-label="Back to Admin"
          className={cx(
            'flex size-8 items-center justify-center rounded-md hover:bg-hover md:hidden',
            isCovered && 'hidden',
          )}
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
        </Link>
        <h1 className="text-lg font-semibold">{title}</h1>
      </header>
      {hasBar ? (
        <div
          className={cx(
            'flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2',
            isCovered && 'max-lg:hidden',
          )}
        >
          {toolbar}
          <span className="flex-1" />
          {actions}
        </div>
      ) : null}
      <section className="min-h-0 flex-1 overflow-y-auto bg-surface" {...scrollable(title, 'region')}>
        {children}
      </section>
    </div>
  );
}

/** The sections of a part without a list. */
export function AdminSections({ children }: { children: ReactNode }) {
  return <div className="mx-auto flex max-w-4xl flex-col gap-4 py-4 sm:px-4">{children}</div>;
}
