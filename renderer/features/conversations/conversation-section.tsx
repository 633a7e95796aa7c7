/** A section of the list of conversations, which can be collapsed to the open conversation. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

export interface ConversationSectionProps {
  title: string;
  isCollapsed: boolean;
  onToggle: () => void;
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

export function ConversationSection({
  title,
  isCollapsed,
  onToggle,
  actions,
  children,
}: ConversationSectionProps) {
  return (
    <section aria-label={title} className="px-2 pb-3">
      <div className="flex items-center">
        <h2 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={!isCollapsed}
            onClick={onToggle}
            className="flex w-full items-center gap-1 rounded-md px-1 py-1 text-xs font-medium text-faint hover:bg-hover [&_svg]:size-3"
          >
            {isCollapsed ? <ChevronRight /> : <ChevronDown />}
            {title}
          </button>
        </h2>
        {actions}
      </div>
      <ul>{children}</ul>
    </section>
  );
}
