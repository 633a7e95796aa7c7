/** Whether a person has changed fields of a form, whatever the form does with their values. */
import { type RefObject, type SyntheticEvent, useRef } from 'react';

/** The button of a select has its value. */
type Control = HTMLInputElement | HTMLTextAreaElement | HTMLButtonElement;

const controlOf = (target: EventTarget): Control | null =>
  target instanceof Element ? target.closest<Control>('input, textarea, button[role=combobox]') : null;

const contentOf = (control: Control): string | boolean =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')
    ? control.checked
    : control.value;

/** A search, or a control outside of a form, changes nothing that could be lost. */
const holdsWork = ({ type, form }: Control): boolean => form !== null && type !== 'search' && type !== 'file';

export interface Typed {
  /** Whether a field that is still shown holds something else than before it was reached. */
  isChanged(): boolean;
  /** For the element around the fields: notes the value of a field before it is changed. */
  watch: Record<'onFocusCapture' | 'onPointerDownCapture', (event: SyntheticEvent) => void>;
}

export function useTyped(): Typed {
  const before: RefObject<Map<Control, string | boolean>> = useRef(new Map());
  const note = ({ target }: SyntheticEvent): void => {
    const control = controlOf(target);
    if (control !== null && holdsWork(control) && !before.current.has(control))
      before.current.set(control, contentOf(control));
  };
  return {
    isChanged: () =>
      [...before.current].some(([control, value]) => control.isConnected && contentOf(control) !== value),
    watch: { onFocusCapture: note, onPointerDownCapture: note },
  };
}
