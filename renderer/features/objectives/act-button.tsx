/** The buttons of the actions on an objective. When one goes away, the focus stays near. */
import { type ReactNode, type RefObject, useRef } from 'react';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { useFocusBeside } from '../../ui/focus-beside.ts';

/** Returns the dialog or the pane of the inbox that shows the objective. The menu of its page stays. */
export const afterActs = (entry: Element): HTMLElement | null =>
  entry.closest<HTMLElement>('[role="dialog"], [data-opened]');

export function ActButton(props: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusBeside(button, afterActs);
  return <Button ref={button} className="max-sm:h-11" {...props} />;
}

/** To be rendered while an action is offered. */
export function ActGroup({ group, children }: { group: RefObject<HTMLElement | null>; children: ReactNode }) {
  useFocusBeside(group, afterActs);
  return (
    <span ref={group} className="contents">
      {children}
    </span>
  );
}
