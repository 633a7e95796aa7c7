/** Whether a person has changed fields of a form, whatever the form does with their values. */
import { type RefObject, type SyntheticEvent, useRef } from 'react';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isControl = (target: EventTarget): target is Control =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement;

const contentOf = (control: Control): string | boolean =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')
    ? control.checked
    : control.value;

/** A search changes nothing that could be lost. */
const holdsWork = (control: Control): boolean => control.type !== 'search' && control.type !== 'file';

export interface Typed {
  /** Whether a field that is still shown holds something else than before it was reached. */
  isChanged(): boolean;
  /** For the element around the fields: notes the value of a field before it is changed. */
  watch: Record<'onFocusCapture' | 'onPointerDownCapture', (event: SyntheticEvent) => void>;
}

export function useTyped(): Typed {
  const before: RefObject<Map<Control, string | boolean>> = useRef(new Map());
  const note = ({ target }: SyntheticEvent): void => {
    if (isControl(target) && holdsWork(target) && !before.current.has(target))
      before.current.set(target, contentOf(target));
  };
  return {
    isChanged: () =>
      [...before.current].some(([control, value]) => control.isConnected && contentOf(control) !== value),
    watch: { onFocusCapture: note, onPointerDownCapture: note },
  };
}
