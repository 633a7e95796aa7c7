/** An address that leads nowhere. */
import { EmptyState } from '../ui/states.tsx';

export function NotFound() {
  return (
    <main>
      <EmptyState isPage title="There is no such page">
        <a href="/app" className="text-accent underline">
          Go home
        </a>
      </EmptyState>
    </main>
  );
}
