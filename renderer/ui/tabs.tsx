/** Sections of one subject. */
import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

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
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(String(next))}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Base.List aria-label={label} className="flex gap-4 border-b border-line px-1">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 border-b-2 border-transparent text-soft hover:text-text data-active:border-accent data-active:font-medium data-active:text-text"
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
