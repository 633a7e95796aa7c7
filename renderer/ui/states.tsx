/** The states of a screen without data: empty, loading, or failed. */

import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { cx } from './class-names.ts';
import { sentenceOf } from './sentence-of.ts';

/** Explains the next step. */
export function EmptyState({
  icon,
  title,
  isPage = false,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  /** The state is the whole page, so its title is the page's heading. */
  isPage?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-sm flex-col items-center gap-2 px-6 py-14 text-center">
      {icon === undefined ? null : <div className="text-faint [&_svg]:size-8">{icon}</div>}
      <Heading className="text-lg font-semibold">{title}</Heading>
      {children === undefined ? null : <div className="text-soft">{children}</div>}
      {action === undefined ? null : <div className="mt-2">{action}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="m-4 flex items-center justify-between gap-4 rounded-md border border-critical bg-critical-soft px-4 py-3"
    >
      <p>{sentenceOf(error)}</p>
      {onRetry === undefined ? null : (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** One line under a form. */
export function FormError({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className="text-sm text-critical">
      {sentenceOf(error)}
    </p>
  );
}

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cx('animate-pulse rounded-md bg-hover', className)} />;
}

/** Placeholder lines for a list. */
export function ListSkeleton({ rows = 6 }: { rows?: number | undefined }) {
  return (
    <div className="flex flex-col gap-2 p-4" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a skeleton are alike
        <Skeleton key={row} className="h-8 w-full" />
      ))}
    </div>
  );
}

/** In place of data that is not there: loading, or failed. */
export function NotLoaded({
  error,
  onRetry,
  rows,
}: {
  error: unknown;
  onRetry: () => unknown;
  /** The lines of the placeholder. */
  rows?: number;
}) {
  return error === null ? (
    <ListSkeleton rows={rows} />
  ) : (
    <ErrorState error={error} onRetry={() => void onRetry()} />
  );
}
