/** Sections of one subject. */
import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef } from 'react';

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
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (value: string) => void;
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
        className="flex shrink-0 gap-5 overflow-x-auto overflow-y-hidden border-b border-line"
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
          className="min-h-0 flex-1 overflow-y-auto py-4 outline-none"
        >
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
