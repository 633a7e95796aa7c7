/** Asks before a screen is left whose form has changes that are not saved. */
import { Confirm, typedWords } from './dialog.tsx';
import { useLeaving } from './leaving.ts';

/** `isChanged`: whether the form differs from what is saved. Another filter or dialog on the same screen keeps the form. */
export function Unsaved({ isChanged }: { isChanged: boolean }) {
  const leaving = useLeaving(({ isSameScreen }) => isChanged && !isSameScreen);
  return (
    <Confirm isOpen={leaving.isAsked} onClose={leaving.stay} onConfirm={leaving.leave} {...typedWords} />
  );
}
