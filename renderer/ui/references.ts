/**
 * How Markdown shows mentions, channels, and addresses of this console. A screen that knows the members and the channels
 * provides it; without it, they are shown as they were written.
 */
import { type ComponentType, createContext } from 'react';
import type { OwnLink } from './references.rules.ts';

export interface References {
  Mention: ComponentType<{ name: string }>;
  Channel: ComponentType<{ slug: string }>;
  /** Null if the address leads to nothing that has a title. */
  ownLink(href: string): OwnLink | null;
  Own: ComponentType<{ to: OwnLink; href: string }>;
}

export const ReferencesContext = createContext<References | null>(null);
