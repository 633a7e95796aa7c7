/**
 * Short notices at the edge of the screen, announced politely to screen readers. An error that blocks is
 * never shown only here.
 */
import { sentenceOf } from './sentence-of.ts';

export interface Notice {
  title: string;
  description?: string;
  isUrgent?: boolean;
  undo?: () => void;
  /** Called when the notice goes away without Undo. */
  onKept?: (() => void) | undefined;
}

/** Notices from before the layer that shows them is loaded. */
const waiting: Notice[] = [];
let show: ((notice: Notice) => void) | undefined;

/** For the layer. Returns a function that ends it. */
export function showNotices(layer: (notice: Notice) => void): () => void {
  show = layer;
  for (const notice of waiting.splice(0)) layer(notice);
  return () => {
    if (show === layer) show = undefined;
  };
}

function notify(notice: Notice): void {
  if (show === undefined) waiting.push(notice);
  else show(notice);
}

export const toast = (title: string, description?: string): void =>
  notify({ title, ...(description !== undefined && { description }) });

/** Says what was done, with a button that takes it back. `onKept`: for what is only done when the notice goes away. */
export const toastWithUndo = (title: string, undo: () => void, onKept?: () => void): void =>
  notify({ title, undo, onKept });

export const toastError = (error: unknown): void =>
  notify({ title: 'The action failed', description: sentenceOf(error), isUrgent: true });
