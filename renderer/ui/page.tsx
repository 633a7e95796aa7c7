/** The frame of a screen: title, actions, and content. */
import type { ReactNode } from 'react';
import { useDocumentTitle } from './document-title.ts';
import { scrollable } from './scrollable.ts';

export function Page({
  title,
  actions,
  children,
  toolbar,
}: {
  title: string;
  actions?: ReactNode;
  toolbar?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(title);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line bg-surface px-4 py-2">
        <h1 tabIndex={-1} className="short-heading text-lg font-semibold">
          {title}
        </h1>
        {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {toolbar === undefined ? null : (
        <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
          {toolbar}
        </div>
      )}
      <section className="min-h-0 flex-1 overflow-y-auto bg-surface" {...scrollable(title, 'region')}>
        {children}
      </section>
    </div>
  );
}

/** A titled part of a screen. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="min-w-0">
      <header className="flex min-h-10 items-end justify-between gap-2 border-b border-line px-4 pt-3 pb-1.5">
        <h2 className="font-semibold">{title}</h2>
        {actions}
      </header>
      <div>{children}</div>
    </section>
  );
}
