/** Changes by somebody else, while a form is open, to the subject of the form or to the member. */
import { useIsMutating } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

export const mayNot = 'You may not do this anymore.';
export const withdrawn = `${mayNot} Copy what you typed if you still need it.`;

/** In a long form, it is among the actions, which stay in sight. It says nothing while the page itself makes a change, whose news can arrive before its answer. */
export function Meanwhile({ sentences }: { sentences: readonly string[] }) {
  const isChanging = useIsMutating() > 0;
  return (
    <div role="status" className="w-full empty:absolute">
      {isChanging
        ? null
        : sentences.map((sentence) => (
            <p key={sentence} className="rounded-md bg-caution-soft px-3 py-2 text-caution">
              {sentence}
            </p>
          ))}
    </div>
  );
}

/** Returns whether a dialog is shown: it opens only for a member who may use it, and stays open with its text if the right is withdrawn. */
export function useStaysOpen(isOpen: boolean, may: boolean): boolean {
  const wasShown = useRef(false);
  const isShown = isOpen && (may || wasShown.current);
  useEffect(() => {
    wasShown.current = isShown;
  });
  return isShown;
}
