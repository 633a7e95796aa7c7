/** Sections of one subject. */
import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef } from 'react';
import { cx } from './class-names.ts';

export interface Tab {
  value: string;
  label: string;
  content: ReactNode;
}

export function Tabs({
  label,
  tabs,
  value,
  onChange,
  isPage = false,
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (value: string) => void;
  /** The tabs are a whole page: each content fills it, and scrolls by itself. */
  isPage?: boolean;
}) {
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen, the chosen tab may be scrolled away.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another tab is chosen
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(String(next))}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Base.List
        ref={list}
        aria-label={label}
        className={cx(
          'flex shrink-0 gap-5 overflow-x-auto overflow-y-hidden border-b border-line',
          isPage ? 'bg-surface px-4' : 'max-sm:px-4',
        )}
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="h-9 shrink-0 border-b-2 border-transparent px-0.5 whitespace-nowrap text-soft -outline-offset-2 hover:text-text data-active:border-accent data-active:font-medium data-active:text-text"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          className={cx('min-h-0 flex-1 outline-none', !isPage && 'overflow-y-auto py-4')}
        >
          {/* A panel that is closing stays for a moment, when the route of its content is already gone. */}
          {tab.value === value ? tab.content : null}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
