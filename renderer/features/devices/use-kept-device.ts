/** The device whose form is shown: it stays after somebody else's decision if something was typed into its form. */
import { useRef } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { type Typed, useTyped } from '../../ui/typed.ts';

interface KeptDevice {
  /** Undefined if there is nothing to decide. */
  enrollment: PendingEnrollment | undefined;
  /** To be called when the form itself has decided. */
  forget(): void;
  /** For the element around the form. */
  watch: Typed['watch'];
}

/** `waiting`: the device, if it still waits. */
export function useKeptDevice(waiting: PendingEnrollment | undefined): KeptDevice {
  const last = useRef(waiting);
  const typed = useTyped();
  if (waiting !== undefined) last.current = waiting;
  return {
    enrollment: waiting ?? (typed.isChanged() ? last.current : undefined),
    forget() {
      last.current = undefined;
    },
    watch: typed.watch,
  };
}
