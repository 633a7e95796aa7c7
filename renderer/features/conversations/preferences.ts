/**
 * A member's arrangement of the list of conversations. It stays in this browser, under a key that names the member, and all tabs
 * share it.
 */
import { useMemo } from 'react';
import { keepText, useKeptText } from '../../data/kept.ts';
import { useSelf } from '../../data/self.tsx';

export type PreferenceKind = 'muted' | 'favorites' | 'collapsed';

/** Scopes in text form; of `collapsed`, the titles of sections. The newest are last. */
export type Preferences = Record<PreferenceKind, ReadonlySet<string>>;

const maxNames = 200;

const keyOf = (member: string): string => `muster.conversations.${member}`;

const namesIn = (value: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string').slice(-maxNames) : []);

function preferencesOf(stored: string | null): Preferences {
  let found: Partial<Record<PreferenceKind, unknown>> = {};
  try {
    found = (JSON.parse(stored ?? '{}') ?? {}) as typeof found;
  } catch {
    // Somebody else wrote it.
  }
  return {
    muted: namesIn(found.muted),
    favorites: namesIn(found.favorites),
    collapsed: namesIn(found.collapsed),
  };
}

export interface ConversationPreferences extends Preferences {
  /** Turns it on if it is off, and off if it is on. */
  toggle(kind: PreferenceKind, name: string): void;
}

export function usePreferences(): ConversationPreferences {
  const key = keyOf(useSelf().member);
  const stored = useKeptText(key);
  return useMemo(() => {
    const preferences = preferencesOf(stored);
    return {
      ...preferences,
      toggle(kind, name) {
        const names = new Set(preferences[kind]);
        if (!names.delete(name)) names.add(name);
        const lists = { ...preferences, [kind]: names };
        const next = Object.fromEntries(
          Object.entries(lists).map(([each, set]) => [each, [...set].slice(-maxNames)]),
        );
        try {
          keepText(key, JSON.stringify(next));
        } catch {
          // The storage is full, or the browser forbids it.
        }
      },
    };
  }, [key, stored]);
}
