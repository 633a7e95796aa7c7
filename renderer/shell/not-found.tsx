/** The screen for an address without a page. */
import { EmptyState } from '../ui/states.tsx';
import { Mark } from './mark.tsx';

export function NotFound() {
  return (
    <main className="flex h-full items-center justify-center">
      <EmptyState
        icon={<Mark />}
        isPage
        title="There is no such page"
        action={
          <a
            href="/app"
            className="inline-flex h-8 items-center rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
          >
            Go home
          </a>
        }
      >
        The address may be mistyped, or what it named is gone.
      </EmptyState>
    </main>
  );
}
