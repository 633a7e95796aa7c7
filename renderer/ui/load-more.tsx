/** The end of a list of which only a part is loaded. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { FormError } from './states.tsx';

export interface LoadMoreProps {
  /** A sentence that says what is loaded. */
  children: ReactNode;
  isLoading: boolean;
  onMore: () => void;
  /** Why the next page did not come. */
  error?: Error | null;
}

/** The button stays enabled while it loads, so that it keeps the focus. */
export function LoadMore({ children, isLoading, onMore, error = null }: LoadMoreProps) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 px-4 py-3 text-sm text-soft">
      <p>{children}</p>
      <Button size="small" aria-busy={isLoading || undefined} onClick={() => isLoading || onMore()}>
        {isLoading ? 'Loading…' : 'Load more'}
      </Button>
      <FormError error={error} />
    </div>
  );
}
