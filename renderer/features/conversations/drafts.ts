/**
 * A member's unsent texts per scope, shared by all tabs of this browser. The key contains the member, so that the next
 * one who logs in does not see them.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { limits } from '#protocol/limits.ts';
import { randomId } from '../../data/random-id.ts';
import { subscribeToStorage, tellStorageChange } from '../../data/storage-changes.ts';

export interface Draft {
  /** Another one after each change: the same text in two tabs is the same message, so it is its idempotency key. */
  id: string;
  text: string;
}

const prefix = 'muster.draft.';
const maxDrafts = 100;
const noDraft: Draft = { id: '', text: '' };

export const draftKey = (member: string, scope: string): string => `${prefix}${member}.${scope}`;

/** The draft that was last stored or read. If the storage is full, a draft is kept only here, until another tab stores one. */
const heldByKey = new Map<string, { stored: string | null; draft: Draft }>();

/** A draft that an earlier version stored is its text alone. */
function draftOf(stored: string): Draft & { at: number } {
  try {
    const { id, text, at } = JSON.parse(stored) as Record<string, unknown>;
    if (typeof id === 'string' && typeof text === 'string' && typeof at === 'number') return { id, text, at };
  } catch {
    // It is not JSON.
  }
  return { id: randomId(), text: stored, at: 0 };
}

/** Returns what any tab stored last. The object stays the same until the draft changes. */
export function readDraft(key: string): Draft {
  const stored = localStorage.getItem(key);
  const held = heldByKey.get(key);
  if (held?.stored === stored) return held.draft;
  const draft = stored === null ? noDraft : draftOf(stored);
  heldByKey.set(key, { stored, draft });
  return draft;
}

function forgetOldest(): void {
  const drafts = Object.keys(localStorage).flatMap((key) =>
    key.startsWith(prefix) ? { key, at: draftOf(localStorage.getItem(key) ?? '').at } : [],
  );
  drafts.sort((a, b) => a.at - b.at);
  for (const { key } of drafts.slice(0, Math.max(0, drafts.length - maxDrafts))) {
    localStorage.removeItem(key);
    heldByKey.delete(key);
  }
}

const againPrefix = 'again-';

/** Whether the draft was sent by another tab as another message, and is to be sent again. */
export const isAgain = ({ id }: Draft): boolean => id.startsWith(againPrefix);

/** For a draft that another tab sent as another message. Leaves alone what was written since. */
export function writeAgain(key: string, { id, text }: Draft): void {
  const now = readDraft(key);
  if (now.text === '' || now.id === id) writeDraft(key, text, againPrefix);
}

export function writeDraft(key: string, text: string, idPrefix = ''): Draft {
  const draft = text === '' ? noDraft : { id: `${idPrefix}${randomId()}`, text };
  const isFirst = localStorage.getItem(key) === null;
  if (text === '') localStorage.removeItem(key);
  else if (text.length <= limits.message.body)
    try {
      localStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() }));
      if (isFirst) forgetOldest();
    } catch {
      // The storage is full, or the browser forbids it.
    }
  heldByKey.set(key, { stored: localStorage.getItem(key), draft });
  tellStorageChange();
  return draft;
}

/** Returns the draft as any tab last changed it. */
export const useDraft = (key: string): Draft =>
  useSyncExternalStore(
    subscribeToStorage,
    useCallback(() => readDraft(key), [key]),
  );
