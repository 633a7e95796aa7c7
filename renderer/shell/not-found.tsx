/** The screen for an address without a page. */
import { EmptyState } from '../ui/states.tsx';
import { Mark } from './mark.tsx';

export function NotFound() {
  return (
    <div className="flex h-full items-center justify-center">
      <EmptyState
        icon={<Mark />}
        isPage
        title="Page not found"
        action={
          <a
            href="/app"
            className="inline-flex h-8 items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
          >
            Go to the inbox
          </a>
        }
      >
        Check the address. The page may also have been removed.
      </EmptyState>
    </div>
  );
}
